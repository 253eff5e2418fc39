"""Endpoints that are asked for something other than chat, such as embeddings or transcriptions."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from inference.errors import JudgeUnavailable
from inference.judges.chat import LONGEST_ERROR, Chat
from inference.registry import JudgeSpec

# Waits between them grow; together about half a minute.
_RETRIES = 5


class Endpoint:
    """A model's endpoint, with its key.

    Args:
        who: Who complains in messages.
        spec: The model, with the settings of a judge behind an endpoint.
        environ: Where its key is read; the process's environment unless given.

    Attributes:
        url: Its address.
        options: What the client is opened with.

    Raises:
        MissingKey: The variable that should hold the key is not set.
    """

    def __init__(self, who: str, spec: JudgeSpec, environ: Mapping[str, str] | None = None) -> None:
        self._who = who
        self._spec = spec
        self._chat = Chat(spec, None)
        self.url: str = spec.settings["base_url"]
        self.options: dict[str, Any] = {
            "api_key": self._chat.read_key(environ) or "none",
            "base_url": self.url,
            "timeout": float(spec.settings["timeout_s"]),
            "max_retries": _RETRIES,
        }

    def without_key(self, text: str) -> str:
        """Return a text without the key, should the endpoint echo it."""
        return self._chat.without_key(text)

    @contextmanager
    def asked(self, failed: Callable[[str], Exception]) -> Iterator[None]:
        """Turn the client's errors into ours.

        Args:
            failed: Returns the error to raise where the request failed, from words without the key.

        Raises:
            JudgeUnavailable: The key was refused.
        """
        # Loading it takes a second of processor time; only those who ask pay it.
        import openai

        try:
            yield
        except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
            raise JudgeUnavailable(
                f"{self._who}: the endpoint of '{self._spec.judge_id}' refused the key: "
                f"{self._shown(error)}; set {self._spec.settings['api_key_env']} to one that holds"
            ) from None
        except (openai.OpenAIError, ValueError) as error:
            raise failed(self._shown(error)) from None

    def _shown(self, error: Exception) -> str:
        # The key goes before the cut, which could leave a part of it.
        return self.without_key(f"{type(error).__name__}: {error}")[:LONGEST_ERROR]
