"""Words of column names and values that propose roles and outcomes, in several European languages.

All are in the form that ``fold`` gives: lower case and without accents, so ``Âge``, ``AGE`` and ``age`` are one word.
"""

from __future__ import annotations

import re
import unicodedata

_APART = {"ł": "l", "ø": "o", "æ": "ae"}
"""Letters that Unicode does not take apart into a plain letter and an accent."""

ROLE_WORDS: dict[str, tuple[str, ...]] = {
    "prediction": (
        "prediction",
        "predictions",
        "predicted",
        "pred",
        "y pred",
        "y hat",
        "yhat",
        "forecast",
        "model output",
        "decision",
        *("prognose", "vorhersage", "vorhergesagt", "entscheidung", "entscheid"),
        *("prevision", "prediccion", "pronostico", "previsao", "predicao", "decisao", "previsione", "decisione"),
    ),
    "score": (
        "score",
        "y score",
        "probability",
        "proba",
        "prob",
        "risk score",
        "decile score",
        *("bewertung", "punktzahl", "punktwert", "wahrscheinlichkeit", "risikowert"),
        *("probabilite", "puntuacion", "puntaje", "probabilidad", "pontuacao", "probabilidade", "punteggio", "probabilita"),
    ),
    "label": (
        "label",
        "target",
        "y true",
        "ground truth",
        "actual",
        "outcome",
        "y",
        "class",
        "income",
        "hired",
        "approved",
        "admitted",
        "passed",
        "default",
        "two year recid",
        "credit risk",
        *("ergebnis", "zielvariable", "bewilligt", "genehmigt", "angenommen", "zugesagt", "eingestellt", "bestanden"),
        *("resultat", "accorde", "accepte", "approuve", "admis", "embauche"),
        *("resultado", "aprobado", "concedido", "aceptado", "admitido", "contratado", "aprovado", "risultato", "approvato"),
    ),
}
"""Names (lower case, words separated by spaces) that propose a role; earlier ones win.

A prediction or score may carry its word at either end of the name (``predicted_salary``, ``salary_pred``); a label must be named exactly
so, or end in ``true`` or ``label``.
"""
CATEGORICAL_LABELS = frozenset(ROLE_WORDS["label"][5:])
"""Label names that also occur as ordinary features; they are proposed only where the column holds categories."""

SENSITIVE_WORDS: tuple[str, ...] = (
    "sex",
    "gender",
    "race",
    "ethnicity",
    "ethnic",
    "religion",
    "disability",
    "disabled",
    "marital",
    "nationality",
    "citizenship",
    "national origin",
    "country of origin",
    "sexual orientation",
    "pregnant",
    "pregnancy",
    "caste",
    *("geschlecht", "herkunft", "nationalitat", "nationalitaet", "staatsangehorigkeit", "staatsangehoerigkeit"),
    *("staatsburgerschaft", "staatsbuergerschaft", "familienstand", "behinderung", "behindert", "konfession"),
    *("schwangerschaft", "ethnie", "migrationshintergrund"),
    *("sexe", "genre", "nationalite", "origine", "ethnique", "handicap", "etat civil", "situation familiale"),
    *("sexo", "genero", "nacionalidad", "etnia", "raza", "discapacidad", "estado civil"),
    *("nacionalidade", "raca", "religiao", "deficiencia", "sesso", "nazionalita", "religione", "disabilita", "stato civile"),
    "birth",
    *("birthplace", "geburtsland", "geburtsort", "naissance", "nacimiento", "nascimento", "nascita"),
    "age",
    *("alter", "edad", "idade", "geburtsjahr"),
)
"""Words that propose a sensitive feature where the column holds a few groups."""
AGE_WORDS = frozenset(
    {"age", "alter", "edad", "idade", "birth", "geburtsjahr", "naissance", "nacimiento", "nascimento", "nascita"}
)
"""Words of an age or a year of birth.

They are proposed only when they come in groups already: cut points of a continuous age are for the auditor to choose.
"""
SENSITIVE_STEMS: tuple[str, ...] = (
    *("gender", "ethnic", "religio", "disabilit", "nationalit", "citizen", "pregnan"),
    *("geschlecht", "herkunft", "staatsangeh", "staatsb", "familienst", "behinder", "altersgr", "alterskl", "handicap"),
    *("nacionalid", "discapaci", "nazionalit", "disabilit"),
)
"""Beginnings of words that propose a sensitive feature too: compound words (``Altersgruppe``, ``Geschlechtscode``) and plurals."""
AGE_STEMS = frozenset({"altersgr", "alterskl"})
LOOK_ALIKES = frozenset({"deficiency", "ethic", "ethics", "ethical", "martial", "martian", "origin", "original"})
"""Words of their own that look like a sensitive word with a spelling mistake."""

YES_WORDS: tuple[str, ...] = (
    "1",
    "yes",
    "y",
    "true",
    "t",
    "positive",
    "pos",
    "+",
    *("ja", "j", "wahr", "positiv", "oui", "o", "vrai", "positif", "si", "s", "verdadero", "positivo", "sim", "verdadeiro"),
    *("vero", "tak", "prawda", "da", "ano", "igen", "kylla"),
)
"""Values that affirm what the column is called."""
GOOD_WORDS: tuple[str, ...] = (
    ">50k",
    "hired",
    "hire",
    "pass",
    "passed",
    "good",
    "approved",
    "approve",
    "accepted",
    "accept",
    "admitted",
    "admit",
    "granted",
    "grant",
    "selected",
    "favourable",
    "favorable",
    "high",
    "success",
    "successful",
    *("bewilligt", "genehmigt", "angenommen", "zugesagt", "zusage", "eingestellt", "zugelassen", "bestanden", "gut", "erfolg"),
    *("accorde", "accordee", "accepte", "acceptee", "approuve", "approuvee", "admis", "admise", "embauche", "embauchee", "bon"),
    *(
        "aprobado",
        "aprobada",
        "aceptado",
        "aceptada",
        "concedido",
        "concedida",
        "admitido",
        "admitida",
        "contratado",
        "contratada",
    ),
    *("bueno", "aprovado", "aprovada", "aceito", "aceite", "bom", "approvato", "approvata", "accettato", "concesso", "assunto"),
    *("przyznany", "przyznano", "zatwierdzony", "goedgekeurd", "toegekend", "aangenomen", "beviljad", "godkand"),
)
"""Values that are good to get, whatever the column is called."""
POSITIVE_WORDS: tuple[str, ...] = YES_WORDS + GOOD_WORDS
"""Values that are proposed as the favourable outcome of a column with two values."""
NEGATIVE_WORDS: tuple[str, ...] = (
    "0",
    "no",
    "n",
    "false",
    "f",
    "negative",
    "neg",
    "-",
    "<=50k",
    "rejected",
    "reject",
    "declined",
    "decline",
    "denied",
    "deny",
    "refused",
    "fail",
    "failed",
    "bad",
    "unfavourable",
    "unfavorable",
    "low",
    "failure",
    *("nein", "falsch", "negativ", "abgelehnt", "ablehnung", "verweigert", "absage", "abgesagt", "durchgefallen", "schlecht"),
    *("non", "faux", "negatif", "refuse", "refusee", "rejete", "rejetee", "ajourne", "mauvais"),
    *("falso", "negativo", "rechazado", "rechazada", "denegado", "denegada", "suspenso", "malo"),
    *("nao", "recusado", "recusada", "rejeitado", "rejeitada", "negado", "negada", "reprovado", "reprovada", "mau"),
    *("rifiutato", "rifiutata", "respinto", "respinta", "negato", "nie", "odrzucony", "odmowa", "falsz"),
    *("nee", "afgewezen", "nej", "avslagen", "ne", "nem", "ei"),
)
"""Values that are not good to get; of two values the other one is favourable then."""
NEGATIONS = frozenset({"not", "nicht", "kein", "keine", "pas", "non", "no", "nao", "nie", "niet", "geen", "sin", "sans"})
"""First words of a value that deny the rest of it, as in "not hired"."""
UNFAVOURABLE_NAMES = frozenset(
    {
        *("default", "defaulted", "recid", "recidivism", "rejected", "rejection", "declined", "denied", "denial", "refused"),
        *("fraud", "churn", "dropout", "failed", "failure", "fired", "dismissed", "arrested", "delinquent", "bankrupt", "risk"),
        *("abgelehnt", "ablehnung", "ausfall", "betrug", "gekundigt", "gekuendigt", "ruckfall", "rueckfall", "risiko"),
        *("refus", "defaut", "fraude", "rechazado", "rechazo", "impago", "mora", "recusado", "rejeitado", "riesgo", "risque"),
    }
)
"""Words of column names by which "yes" is bad news."""


def fold(text: str) -> str:
    """Lower case without accents and blanks around.

    Examples
    --------
    >>> fold(" Accordée"), fold("Âge"), fold("Größe")
    ('accordee', 'age', 'grosse')
    """
    return "".join(_APART.get(c, c) for c in _plain_letters(text).casefold()).strip()


def name_words(name: str) -> str:
    """A column name as lower-case words without accents.

    Examples
    --------
    >>> name_words("riskScore"), name_words("marital-status"), name_words("Género_2"), name_words("ÂGE")
    ('risk score', 'marital status', 'genero 2', 'age')
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", _plain_letters(name))
    return re.sub(r"[^a-z0-9]+", " ", fold(spaced)).strip()


def _plain_letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
