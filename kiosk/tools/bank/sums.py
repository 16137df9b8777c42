"""Loans and deposits, reckoned in decimals and rounded half up to the cent."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext

_CENT = Decimal("0.01")
_DIGITS = 40


@dataclass(frozen=True, slots=True)
class Loan:
    """An annuity: equal monthly payments."""

    payment: Decimal
    """Yuan a month."""
    total: Decimal
    """Yuan over the whole term: `payment` times the months."""
    interest: Decimal
    """Yuan: `total` less what was lent."""


def annuity(amount: Decimal, months: int, rate: Decimal) -> Loan:
    """The monthly payment P·r / (1 - (1 + r)^-n), rounded half up to the cent before anything is multiplied by it.

    Args:
        amount: P, yuan lent.
        months: n, number of payments, above 0.
        rate: Per cent per year, at least 0; r is a twelfth of it.
    """
    with localcontext() as context:
        context.prec = _DIGITS
        r = rate / 1200
        exact = amount * r / (1 - (1 + r) ** -months) if r else amount / months
        payment = exact.quantize(_CENT, ROUND_HALF_UP)
        return Loan(payment, payment * months, payment * months - amount)


def simple_interest(amount: Decimal, months: int, rate: Decimal) -> Decimal:
    """Interest at the end of the term without compounding: amount · rate · years, rounded half up to the cent.

    Args:
        amount: Yuan.
        months: Of the term.
        rate: Per cent per year.
    """
    return (amount * rate * months / 1200).quantize(_CENT, ROUND_HALF_UP)
