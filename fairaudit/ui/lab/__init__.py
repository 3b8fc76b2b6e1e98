"""The Bias lab: plant a bias, see what it does, find out who would have noticed."""
