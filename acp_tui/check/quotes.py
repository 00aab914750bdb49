"""Sentences of the protocol, with their sources."""

from dataclasses import dataclass

SCHEMA = "Schema"
"""The page that is made from the official JSON Schema: its sections are types."""
JSON_RPC = "JSON-RPC 2.0"
PAGES = (
    "Agent Plan",
    "Authentication",
    "Elicitation",
    "Extensibility",
    "File System",
    "Initialization",
    "Overview",
    "Prompt Turn",
    SCHEMA,
    "Session Config Options",
    "Session Delete",
    "Session List",
    "Session Modes",
    "Session Setup",
    "Terminals",
    "Tool Calls",
    "Transports",
)
"""The pages of the protocol's documentation that are quoted."""
_SITE = "https://agentclientprotocol.com/protocol"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the protocol, verbatim without markup; "…" is for what is left out.

    `section` is the page, and after a comma where on it; `version` is of the protocol, or `JSON_RPC`.
    """

    text: str
    section: str
    version: str = "1"

    @property
    def source(self) -> str:
        """Format the source of the sentence."""
        return self.section if self.version == JSON_RPC else f"ACP {self.version}, {self.section}"

    @property
    def page(self) -> str:
        """The title of the page."""
        return self.section.partition(", ")[0]

    @property
    def link(self) -> str:
        """The address of the page, or of the type in the schema."""
        if self.version == JSON_RPC:
            return "https://www.jsonrpc.org/specification"
        page, _, where = self.section.partition(", ")
        slug = page.lower().replace(" ", "-")
        anchor = f"#{where.lower()}" if page == SCHEMA else ""
        return f"{_SITE}/v{self.version}/{slug}{anchor}"
