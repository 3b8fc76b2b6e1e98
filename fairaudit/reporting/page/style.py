"""Colours and layout of the report, for light and dark screens and for paper."""

from __future__ import annotations

from fairaudit.charts.theme import DARK, LIGHT, Theme, ink_on

STEPS = len(LIGHT.p_scale)


def _variables(theme: Theme) -> str:
    plain = {
        "page": theme.page,
        "text": theme.text,
        "muted": theme.muted,
        "grid": theme.grid,
        "line": theme.axis,
        "target": theme.target,
        "reference": theme.reference,
        "accent": theme.accent,
        "none": theme.unmeasured,
        "band": theme.band,
        "bar": theme.score_scale[2],
        "flag": theme.p_scale[3],
    }
    for prefix, scale in (("p", theme.p_scale), ("s", theme.score_scale)):
        for i, colour in enumerate(scale):
            plain |= {f"{prefix}{i}": colour, f"{prefix}{i}i": ink_on(colour, theme)}
    return "".join(f"--{k}:{v};" for k, v in plain.items())


def _cells() -> str:
    return "".join(f"td.{k}{i}{{background:var(--{k}{i});color:var(--{k}{i}i)}}" for k in "ps" for i in range(STEPS))


def stylesheet() -> str:
    """The whole style of the report."""
    light, dark = _variables(LIGHT), _variables(DARK)
    return (
        f":root{{color-scheme:light dark;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        f"{_LAYOUT.replace('FONT', LIGHT.font)}{_cells()}\n{_PAPER}"
    )


_LAYOUT = """
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem 1.5rem 4rem;max-width:72rem;background:var(--page);color:var(--text);font:15px/1.5 FONT}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .3rem}
h2{font-size:1.35rem;margin:2.6rem 0 .6rem;padding-bottom:.25rem;border-bottom:2px solid var(--accent)}
h3{font-size:1.05rem;margin:1.6rem 0 .4rem}
h4{font-size:.95rem;margin:1rem 0 .2rem}
p{margin:.4rem 0 .8rem;max-width:48rem}
.lead,.small,caption,.meta{color:var(--muted)}
.small,caption,.notes{font-size:.88em}
.notes .long{display:inline}
.where{display:inline-block;min-width:6.5rem}
nav ul{columns:2;padding-left:1.2rem}
a{color:var(--accent)}
ul{padding-left:1.2rem}
li{margin:.25rem 0}
.summary{list-style:none;padding:0}
.summary li{border-left:5px solid var(--line);padding:.35rem .8rem;margin:.5rem 0;overflow-wrap:anywhere}
.summary li.disparity{border-color:var(--flag)}
.summary li.no_evidence{border-color:var(--accent)}
.remark{border-left:5px solid var(--accent);background:var(--band);padding:.35rem .8rem;margin:.5rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:.6rem 0 1rem;background:
linear-gradient(to right,var(--page) .8rem,transparent) 0 0/2.5rem 100% no-repeat local,
linear-gradient(to left,var(--page) .8rem,transparent) 100% 0/2.5rem 100% no-repeat local,
linear-gradient(to right,var(--line),transparent) 0 0/.8rem 100% no-repeat scroll,
linear-gradient(to left,var(--line),transparent) 100% 0/.8rem 100% no-repeat scroll}
table{border-collapse:collapse;font-size:.84rem;min-width:20rem}
caption{text-align:left;padding:.2rem 0}
th,td{padding:.28rem .5rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid);overflow-wrap:break-word}
th{border-bottom:2px solid var(--line);font-weight:600;vertical-align:bottom}
td.n,th.n{text-align:right}
td.n{font-variant-numeric:tabular-nums;white-space:nowrap}
td .long{display:block;min-width:11rem}
table.heat td{text-align:center;border:2px solid var(--page);min-width:4.5rem;font-variant-numeric:tabular-nums}
table.heat td:first-child{text-align:left;border-color:transparent}
table.heat td.x{background:var(--none);color:var(--text)}
.verdict{white-space:nowrap}
.verdict.disparity{font-weight:650}
.none{color:var(--muted)}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.6rem 0}
.facts dt{color:var(--muted)}
.facts dd{margin:0;overflow-wrap:anywhere}
pre,code{font:12px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre{background:var(--band);padding:.8rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
figure{margin:0;min-width:0}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(30rem,100%),1fr));gap:1.6rem 1.5rem}
.keep{white-space:nowrap}
figcaption{font-size:.9rem;margin-bottom:.3rem}
.panels{display:flex;flex-wrap:wrap;gap:.6rem 1.2rem}
svg{max-width:100%;height:auto;display:block}
td svg{max-width:none}
svg text{font-size:11px;fill:var(--text)}
svg .axis-title,svg .tick{fill:var(--muted)}
svg .panel-title{font-weight:600;font-size:12px}
svg .grid{stroke:var(--grid)}
svg .axis{stroke:var(--line)}
svg .bar{fill:var(--bar)}
svg .flag{fill:var(--flag)}
svg .limit{stroke:var(--accent);stroke-width:1.6;stroke-dasharray:6 4}
svg .limit-text{fill:var(--accent);font-weight:600}
svg .series{fill:none;stroke-width:2}
svg .series.target{stroke:var(--target)}
svg .series.reference{stroke:var(--reference);stroke-dasharray:6 3}
svg .mark.target{fill:var(--target)}
svg .mark.reference{fill:var(--page);stroke:var(--reference);stroke-width:1.6}
svg .band{fill:var(--band);stroke:var(--grid)}
svg .whisker{stroke:var(--text);stroke-width:1.6}
"""
_PAPER = """
@page{size:A4;margin:15mm 14mm}
@media print{
body{max-width:none;padding:0;font-size:10pt}
nav{display:none}
section{break-before:auto}
#evidence,#provenance{break-before:page}
h2,h3,h4,figcaption{break-after:avoid}
figure,tr,.summary li,.remark,.facts{break-inside:avoid}
thead{display:table-header-group}
.scroll{overflow:visible;background:none}
table{font-size:7.5pt;width:100%;min-width:0}
.where,td .long{min-width:0}
td svg{width:90px}
th,td{padding:.18rem .3rem}
table.heat td{min-width:0}
.figures{display:block}
figure{margin:0 0 1.2rem}
pre{font-size:7.5pt}
a{color:inherit;text-decoration:none}
details::details-content{content-visibility:visible;display:block}
details summary{display:none}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
"""
