"""Parts of documents that are written from the code, between markers."""

import re
from collections.abc import Callable, Mapping

_BLOCK = re.compile(r"(<!-- from the code: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill_blocks(text: str, blocks: Mapping[str, Callable[[], str]], page: str) -> str:
    """Return a document with every block between its markers as the code has it now.

    Args:
        text: The document.
        blocks: What writes each block, by its name.
        page: The document's name, for messages.

    Raises:
        ValueError: It has a marker for a block that does not exist, or lacks one.
    """
    named = [name for _, name, _ in _BLOCK.findall(text)]
    if sorted(named) != sorted(blocks):
        raise ValueError(
            f"docs: the blocks in {page} are {', '.join(named) or 'none'}; expected each of "
            f"{', '.join(blocks)} once, between '<!-- from the code: NAME -->' and '<!-- end -->'"
        )
    return _BLOCK.sub(lambda block: f"{block[1]}\n{blocks[block[2]]()}\n{block[3]}", text)
