"""The Bias lab: plant a bias, see what it does, find out who would have noticed."""

from fairaudit.ui.lab.answer import answer, evidence
from fairaudit.ui.lab.curve import curve
from fairaudit.ui.lab.keep import keep
from fairaudit.ui.lab.measures import Measures, measures
from fairaudit.ui.lab.stack import Stack, editor, first_step
from fairaudit.ui.lab.where import Where, where

__all__ = ["Measures", "Stack", "Where", "answer", "curve", "editor", "evidence", "first_step", "keep", "measures", "where"]
