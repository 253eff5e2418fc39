"""Placeholder."""

from dashboard.app import draw


def page(version):
    pass


if __name__ == "__main__":
    draw(page)
