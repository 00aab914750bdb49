"""Phrases by which agents describe a mode, or another option, that skips approval.

Agents describe modes in their own words, so this searches sentences: a phrase counts unless it is
negated, or limited to edits or reading. It can't know all phrases, and what it finds is only the
agent's claim. Its patterns are compiled when they are first used: many starts need none.
"""

import re
from functools import cache, lru_cache

_APPROVAL = (
    "(?:approval|permission|confirmation|consent|authori[sz]ation|oversight|supervision|intervention"
    "|interaction|involvement|sign-?off|okay|prompt|questions? asked)"
)
_TOOLS = "(?:tool|command|action|operation|request|call|permission|prompt)"
_ANY = r"(?:all|every|any) (?:of )?(?:the )?(?:\w+ )?"
_YOURS = r"(?:(?:any|your|the|user|human|further|explicit|manual|prior) )*"
_OFF = "(?:off|disabled|none|nothing|never|no|false)"
_PHRASES = (
    # works without asking
    r"\b(?:without|instead of|rather than) (?:first |ever )?(?:being )?(?:ask|prompt|consult)(?:ing|ed)\b",
    r"\bwithout (?:first |ever )?(?:checking (?:in with|with|in first|in$)|confirming|pausing|stopping"
    r"|waiting for (?:you|an? ok|approval|permission|confirmation))\b",
    rf"\bwithout (?:needing|requiring|seeking|requesting|getting) {_YOURS}{_APPROVAL}\w*",
    r"\b(?:nothing is|(?:is|are) (?:not|never)|(?:is|are)n['’]t|never) confirmed\b",
    rf"\bwithout {_YOURS}(?:{_APPROVAL}|input|review|restriction|guard ?rail|safeguard|limit)\w*",
    r"\b(?:nobody|no[ -]one|nothing) (?:is|gets|will be) (?:asked|prompted|consulted)\b",
    r"\bno longer (?:ask|prompt|check)\w*|\bno questions asked\b|\bno (?:human|person|user) in the loop\b",
    r"\b(?:(?:do|does|will) not|won['’]t|don['’]t|doesn['’]t|never)"
    r" (?:ask|prompt|consult|(?:interrupt|bother)s? (?:you|me|the user)|check (?:in with|with|in$)|(?:stop|pause|wait)s?"
    rf" (?:to ask|to confirm|for (?:you\b|{_YOURS}{_APPROVAL})))\w*",
    r"\b(?:(?:will|are) (?:not|never)|won['’]t|aren['’]t|never) (?:be )?(?:asked|prompted|consulted)\b",
    r"\bask(?:s|ed)? nothing\b|\bdispens\w+ with (?:all )?" + _APPROVAL + r"\w*",
    # needs no approval
    r"\bpre-?(?:approved?|authori[sz]ed)\b|\bno need to (?:approve|confirm|ask)\b",
    rf"\bnothing (?:needs?|requires?) (?:\w+ )?{_APPROVAL}\b",
    r"(?<!that )(?<!which )\b(?:(?:do|does|is|are) not|doesn['’]t|don['’]t|isn['’]t|aren['’]t|never)"
    rf" (?:need|require)s? (?:\w+ )?{_APPROVAL}\b",
    r"\b(?:no|without) (?:restriction|guard ?rail|safeguard)s?\b",
    r"\b(?:no|zero) (?:user |human )?(?:approvals?|prompts?|confirmations?|consents?"
    r"|permission (?:prompt|check|request)s?)\b",
    # approval is off
    r"(?<!where )(?<!when )(?<!if )(?<!auto-)(?<!auto )\b(?:approval|permission|confirmation|consent)s?"
    r"(?: (?:prompt|check|request|dialog|policy|mode)s?)?(?: (?:is|are)|:| =)? ?"
    r"(?:(?:turned |switched )?off|none|auto(?:matic)?(?![-\w])|never(?! \w)|disabled|skipped|bypassed|ignored|suppressed|waived"
    r"|(?:not|never|no longer) (?:needed|required|asked)|(?:is|are)n['’]t (?:needed|required|asked))\b",
    r"\b(?:bypass|skip|disabl|ignor|suppress|waiv|turns? off)\w* (?:(?:all|the|any|every) )?"
    rf"(?:user )?{_APPROVAL}\w*",
    r"\b(?:ask|prompt|confirm|check)s? (?:me |you )?(?:before|first|for|every|each|all|commands?|tools?"
    rf"|actions?)\b.{{0,40}} {_OFF}$|\b(?:require|need)s? (?:\w+ )?{_APPROVAL} {_OFF}$",
    # approves all
    r"\bauto(?:matically)?[ -]?(?:accept|approv|allow|confirm|grant|permit|run|execut)\w*\b"
    rf"(?!:? (?:mode )?(?:is )?(?:{_OFF}|ask)\b)",
    r"(?<!you )(?<!to )(?<!must )(?<!can )\b(?:accept|approve|allow|grant|permit|trust|authori[sz]e)s?"
    rf" (?:{_ANY}{_TOOLS}\w*|(?:every|any)thing\b)",
    r"\btreats? (?:all|every|any)\w* (?:\w+ )*as (?:trusted|approved|allowed|safe)\b",
    r"\ballow[- ]all\b|\byes to (?:all|any|every)\w*|\banswered (?:with )?yes\b|\banything goes\b",
    r"\btrusted (?:to do|with) (?:every|any)thing\b",
    r"\bhandles? (?:all )?(?:permission|approval)s?(?: decisions?)?\b",
    rf"\b(?:agent|model|AI|LLM) (?:decide|choose|judge)s?\b.*\b{_APPROVAL}",
    rf"(?<!not )\b(?:everything|(?:all|every|any) (?:{_TOOLS}s? ?)+) ?(?:is |are |gets? )?"
    r"(?:accepted|allowed|approved|permitted|trusted|granted|authori[sz]ed|goe?s? through)\b"
    r"(?!.*\b(?:after|but|except|if|once|unless|until|when|with)\b)",
    # is free to do anything
    r"\b(?:unrestricted|full|complete|total|unlimited) (?:system |computer )?"
    r"(?:access|permissions|privileges|autonomy)\b(?! to (?:the )?(?:\w+ )?tools?\b)",
    r"\bfree (?:rein|reign|hand)\b|\bfree to (?:\w+ )?(?:any|every|whatever)\w*|\bcarte blanche\b|^all permissions$",
    r"\b(?:unattended|unsupervised)\b",
    r"\b(?:fully|completely|entirely) auto(?:matic|nomous)(?:ally|ly)?\b"
    r"(?! (?:test|format|lint|complet|review)\w*)",
    r"\b(?:acts?|decides?|proceeds?|operates?) (?:entirely |completely |fully )?"
    r"(?:on (?:its|their) own|by (?:itself|themselves)|alone|autonomously|independently)\b"
    r"(?! (?:which|what|how|when|whether|if|of)\b)",
)
"""Phrases of a mode that skips approval."""
_PHRASES_ELSEWHERE = (
    # Chinese, Japanese, Korean
    r"自(?:动|動)(?:地|的|的に)?(?:批准|接受|执行|執行|允许|允許|确认|確認|同意|放行|承認|許可|実行)"
    r"(?!し(?:ない|ません)|され(?:ない|ません))",
    r"全自(?:动|動)|完全(?:自(?:动|動|主)|访问|訪問|アクセス)|フルアクセス",
    r"(?:无需|無需|无须|不需要?|免|跳过|跳過|绕过|繞過|不再|不)(?:用户|您的?|你的?|任何|所有|再)*"
    r"(?:确认|確認|批准|审批|審批|授权|授權|权限|權限|许可|許可|询问|詢問|提示)",
    r"(?:全部|所有|一切|すべて|全て)(?:の)?[^，。,.、需要にが]{0,6}?(?:允许|允許|批准|放行|許可|承認)(?!が必要|を求め|後|后)",
    r"(?:確認|承認|許可)(?:なし|不要|せず|を?(?:求め(?:ず|ない)|スキップ))",
    r"(?:모두|모든 \S+|전부) ?(?:자동 ?)?(?:허용|승인|수락)(?! ?(?:필요|후|요청))|자동(?:으로)? ?(?:승인|허용|실행|수락)",
    r"(?:확인|승인|허가|권한)(?: 요청)? ?없이|묻지 않고|전체 (?:액세스|접근)",
    # German
    r"\bohne (?:\w+ )?(?:Rückfrage|Nachfrage|Bestätigung|Genehmigung|Erlaubnis|Freigabe|zu fragen)\w*",
    r"\bfragt (?:dich )?(?:nie|nicht|niemals)\b|\bkeine (?:Rückfrage|Nachfrage|Bestätigung|Genehmigung)\w*",
    r"\balle?s? (?:\w+ )?(?:erlaub|genehmig|akzeptier|annehm|zulass|freigeb)\w*",
    r"\b(?:genehmigt|erlaubt|akzeptiert|bestätigt) (?:automatisch )?alle\w*",
    r"\bVollzugriff\b|\bvolle[rn]? Zugriff\b|\bvollautomatisch\b",
    # French
    r"\bsans (?:\w+ )?(?:demander|confirmation|autorisation|approbation|permission)\b",
    r"\bne (?:vous )?demande (?:jamais|pas|rien)\b|\baccès (?:complet|total)\b",
    r"\btout (?:accepter|autoriser|approuver)\b|\b(?:accepte|approuve|autorise) tou(?:t|te)s?\b",
    # Spanish, Portuguese, Italian
    r"\b(?:sin|sem|senza) (?:\w+ )?(?:pedir|pregunt|pergunt|solicit|chieder|confirm|conferm|aprobac"
    r"|aprovaç|approvaz|permis|permess|autoriz)\w*",
    r"\b(?:no|não|nunca|non) (?:pregunt|pergunt|pide|pede|solicit|chied)\w*",
    r"\b(?:acept|aceit|accett|aprob|aprov|approv|permit|autoriz)\w+ tu?(?:od|d|tt)\w+",
    r"\b(?:acceso|acesso|accesso) (?:total|complet|irrestrit)\w*",
    # Russian
    r"\bбез (?:\w+ )?(?:подтвержд|запрос|разреш|одобр|спрос)\w*|\bполный доступ\b",
    r"\bне (?:спрашива|запрашива)\w*|\b(?:разреш|приним|одобр)\w+ вс[её]\b",
    r"\bавтоматически (?:одобр|выполн|приним|разреш)\w*",
)
"""The most common such phrases in other languages."""
_CLUES = (
    r"(?i)no|off|auto|disabl|skip|bypass|ignor|suppress|waiv|never|n't|[^\x00-\x7f]"
    r"|\b(?:without|instead|rather|dispens|pre-?a|zero|false|all|any|every|yes|handle|decide|choose|judge"
    r"|full|complet|total|unrestrict|unlimit|free|carte|unattend|unsuperv|own|itself|themsel|alone|independent"
    r"|ohne|fragt|keine|voll|sans|ne|tou|sin|sem|senza|nunca|tu?(?:od|d|tt)|irrestrit)"
)
"""Words, or beginnings of words: a sentence with none of them contains no phrase."""
_LONGEST = 2_000
"""Most characters of a description that are searched: an agent may send any number."""
_ACTS = (
    r"(?i)\b(?:run|execut|proceed|perform|approv|accept|allow|grant|confirm|appl(?:y|ies))\w*\b.{0,200}?"
    r"\b(?:automatically|freely|by (?:itself|themselves)|on (?:its|their) own|at once|immediately"
    r"|instantly|(?:right|straight) ?away)\b"
    r"|\b(?:immediately|instantly) (?:run|execut|perform|approv|accept|allow)\w*"
    r"|\bautomatic (?:tool |command )?execution\b"
)
"""Phrases about acting without waiting; they count in sentences about actions."""
_ACTIONS = r"(?i)\b(?:tool|command|action|operation|call|request)s?\b|\b(?:every|any)thing\b|\bshell\b|\bthem\b"
_ASKS_FIRST = (
    r"(?i)\b(?:asks?|asked|prompts?|confirms?|waits?)\b|\b(?:after|once|until|when|if) you\b"
    r"|\b(?:after|with|upon) (?:\w+ )?(?:approval|permission|confirmation)\b"
)
_LIMITED = (
    r"(?i)\b(?:only|edits?|reads?|read-only|safe)\b|\bden(?:y|ies)\b|\brejects?\b"
    r"|编辑|編輯|編集|只读|讀取|读取|読み取り|のみ|편집|읽기"
    r"|\b(?:nur|Bearbeitung\w*|Lese\w*|seulement|lecture|modifications?|solo|edicion\w*|ediç\w*|lectura|правк\w*|чтен\w*|только)\b"
)
"""Limits that make a mode safe: only some actions are approved, or all others are refused."""
_UNLIMITED = (
    r"(?i)\ball (?:tool|permission|action|command|operation)s?\b|\bcommands?\b|\bnetwork\b|\binternet\b"
    r"|\bshell\b|\beverything\b|\banything\b|命令|所有|すべて|コマンド|명령|모든|\bBefehle\b|\bcommandes\b"
    r"|\bcomandos?\b|команд"
)
_REST_ASKED = r"(?i)\b(?:ask|prompt)(?:s|ing)? (?:you )?(?:for|about|before|on)\b.*"
"""The part of a sentence that says what the agent asks about, as in "asks for everything else"."""
_DENIES = (
    r"(?i)\b(?:no|not|none|nothing|never|cannot)\b|n['’]t\b|\b(?:den(?:y|ies)|reject\w*|refus\w*|block\w*)\b"
    r"|\b(?:nichts|nie|niemals|kein\w*|nicht|rien|jamais|aucun\w*|nada|nunca|não|niente|mai|ничего|никогда|не)\b"
    r"|不|没有|沒有|拒绝|拒絕|拒否|禁止|거부"
)
_ASKS = (
    r"(?i)\b(?:ask|prompt|require|need|request)(?:s|ed)?\b.*\b(?:approval|permission|confirmation|before)"
    r"|\b(?:approval|permission|confirmation)s? (?:is |are )?(?:required|needed)"
    r"|\basks? (?:about|first|for|if|only|when|you)\b|\bunless you\b"
)
_SENTENCE = r"(?i)[.;\n。；]|:(?! ?(?:off|none|never|auto|disabled)\b)"
_NAMES = (
    r"\b(?:bypass\w*|y ?o ?l ?o|god ?mode|auto ?pilot|full ?access|full ?auto|unrestricted"
    r"|dangerously\w*|danger ?full\w*|allow ?all|skip ?permissions?)\b"
)
"""Ids and names of modes that skip approval, whatever the description says."""
_WEAK_NAMES = (
    r"\b(?:auto|always) ?(?:accept|approve|allow|confirm|run|execute|proceed)\w*"
    r"|\b(?:accept|approve|allow|trust)s? ?(?:all|everything|anything)\b"
    r"|\b(?:no|sans|without) ?(?:approval|prompt|restriction|confirm\w*|limit)s?\b"
    r"|\bruns? (?:all|everything|anything)\b|\bpermission ?less\b|\bbrave mode\b"
    r"|\b(?:approvals?|permissions?|ask)(?: (?:mode|policy|preset))? ?never\b(?! auto)"
    r"|\bunattended\b|\bunsupervised\b|\bhands ?(?:free|off)\b|\bno ?(?:ask|questions)\b|\bnever ?asks?\b"
    r"|\bautonomous\b|\bfull (?:trust|autonomy)\b|\bautonomy full\b"
    r"|^(?:god|unsafe|danger|dangerous|reckless|unchained|unleashed|auto|auto mode|automatic|never|full)$"
)
"""Names of modes that skip approval, unless described as asking, or as about edits or reading."""
_DENIED_BEFORE = r"\b(?:no|not|never|without|disabled?) $"
_DENIED_AFTER = rf" (?:is )?(?:{_OFF}|ask)\b"
_ASKING_SWITCH = (
    rf"\b(?:require|request|need|seek|ask for|wait for)s? (?:\w+ )?{_APPROVAL}"
    rf"|\b(?:ask|prompt|confirm|check)s? (?:me |you |user )?(?:before|first|for {_APPROVAL}|every"
    r"|each|all|commands?|tools?|actions?)\b(?!.*\b(?:exit|quit|clos))"
    r"|^(?:tool |command |user )?(?:approvals?|confirmations?|permission (?:prompt|check|request)s?)"
    r"(?: required| mode)?$"
)
"""Names of switches that make the agent ask while they are on."""
_SOME = r"(?i)\b(?:edits?|plan|reads?|only)\b"
_WORDS = r"(?<=[a-z])(?=[A-Z])|[^A-Za-z0-9]+"


@lru_cache(1000)
def described_phrase(description: str) -> str:
    """Return the phrase by which a description says that the mode doesn't ask, or ""."""
    text = description[:_LONGEST]
    return _phrase(text) or _acting_phrase(text)


@lru_cache(1000)
def naming_phrase(id: str, name: str, description: str) -> str:
    """Return the id or name if it means that the mode doesn't ask, else ""."""
    description = description[:_LONGEST]
    some = re.search(_SOME, description) and not _is_unlimited(description)
    for one in (name[:_LONGEST], id[:_LONGEST]):
        plain = re.sub(_WORDS, " ", one).strip().lower()
        if _names(_NAMES, plain):
            return one
        if re.search(_SOME, plain):
            return ""
        skips = _names(_WEAK_NAMES, plain) or _phrase(plain) or _phrase(one)
        if skips and not some and not re.search(_ASKS, description):
            return one
    return ""


def _names(pattern: str, name: str) -> bool:
    """Return whether a name matches, without a negation as in "YOLO off"."""
    found = re.search(pattern, name)
    if found is None:
        return False
    before, after = name[: found.start()], name[found.end() :]
    return not (re.search(_DENIED_BEFORE, before) or re.match(_DENIED_AFTER, after))


@cache
def _phrases_regex() -> re.Pattern[str]:
    """Compile the phrases on first use, which takes as long as drawing the first screen."""
    return re.compile("|".join((*_PHRASES, *_PHRASES_ELSEWHERE)), re.IGNORECASE)


def is_asking_switch(id: str, name: str) -> bool:
    """Return whether a switch with this name makes the agent ask, and not only about edits."""
    for one in (name[:_LONGEST], id[:_LONGEST]):
        plain = re.sub(_WORDS, " ", one).strip().lower()
        if re.search(_SOME, plain):
            return False
        if re.search(_ASKING_SWITCH, plain):
            return True
    return False


def _phrase(text: str) -> str:
    """Return the first phrase that is neither negated nor limited to edits or reading."""
    for sentence in re.split(_SENTENCE, text.replace("_", " ")):
        if not re.search(_CLUES, sentence):
            continue  # as for the mode in which most agents begin: nothing needs to be compiled
        found = _phrases_regex().search(sentence)
        if found is None or re.search(_DENIES, sentence[: found.start()]):
            continue
        if not re.search(_LIMITED, sentence) or _is_unlimited(sentence):
            return found.group()
    return ""


def _acting_phrase(description: str) -> str:
    """Return the phrase by which a description says that actions run at once; "" if there is none,
    or if the agent asks about some actions.
    """
    if re.search(_ASKS_FIRST, description):
        return ""
    for sentence in re.split(_SENTENCE, description):
        found = re.search(_ACTS, sentence)
        if (
            found is not None
            and re.search(_ACTIONS, sentence)
            and not re.search(_DENIES, sentence[: found.end()])
            and (not re.search(_LIMITED, sentence) or _is_unlimited(sentence))
        ):
            return found.group()
    return ""


def _is_unlimited(text: str) -> bool:
    """Return whether a text mentions more than edits and reading, except what the agent asks about."""
    return re.search(_UNLIMITED, re.sub(_REST_ASKED, "", text)) is not None
