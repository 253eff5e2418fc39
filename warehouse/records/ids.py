"""What ids look like. Without Pydantic: commands that only look need no more of the records."""

from __future__ import annotations

import re

DATASET_NAME = re.compile(r"[a-z][a-z0-9-]*")
JUDGE_ID = re.compile(r"[a-z][a-z0-9-]*/[A-Za-z0-9._:/-]+")
RESERVED_PROVIDERS = ("human", "ensemble")
