"""Where a field over a grid changes sign, by marching squares."""

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from likely.render.svg import Array


def contours(field: Array, x: Array, y: Array) -> list[Array]:
    """The lines where a field over the grid `y` × `x` changes sign, by marching squares.

    A line that closes ends with the point it started from.
    """
    inside = field >= 0
    rows, columns = field.shape
    # An edge between two nodes is known by its lower left node; upright ones come second.
    lying, upright = (inside[:, :-1] != inside[:, 1:]), (inside[:-1] != inside[1:])
    crossed = lying[:-1] | lying[1:] | upright[:, :-1] | upright[:, 1:]
    neighbours: dict[int, list[int]] = defaultdict(list)
    for row, column in np.argwhere(crossed).tolist():
        low = row * columns + column
        left = low + rows * columns
        bottom, right, top = low, left + 1, low + columns
        flags = (
            (bottom, lying[row, column]),
            (right, upright[row, column + 1]),
            (top, lying[row + 1, column]),
            (left, upright[row, column]),
        )
        ends = [edge for edge, is_crossed in flags if is_crossed]
        # At a saddle all four edges are crossed, and the middle decides which corners join.
        if len(ends) == 4:
            middle = field[row : row + 2, column : column + 2].mean()
            if (middle >= 0) != inside[row, column]:
                ends = [bottom, left, right, top]
        for one, other in zip(ends[::2], ends[1::2], strict=True):
            neighbours[one].append(other)
            neighbours[other].append(one)
    lines = []
    # Open ends first; what is left then are closed lines.
    for start in sorted(neighbours, key=lambda edge: len(neighbours[edge])):
        line = [start]
        while neighbours[line[-1]]:
            line.append(neighbours[line[-1]].pop())
            neighbours[line[-1]].remove(line[-2])
        if len(line) > 1:
            lines.append(_crossings(np.array(line), field, x, y))
    return lines


def _crossings(edges: NDArray[np.intp], field: Array, x: Array, y: Array) -> Array:
    """Where along each edge the field is zero, by linear interpolation."""
    is_upright, node = np.divmod(edges, field.size)
    row, column = np.divmod(node, field.shape[1])
    next_row, next_column = row + is_upright, column + 1 - is_upright
    here, there = field[row, column], field[next_row, next_column]
    share = here / (here - there)
    return np.column_stack(
        [x[column] + share * (x[next_column] - x[column]), y[row] + share * (y[next_row] - y[row])]
    )
