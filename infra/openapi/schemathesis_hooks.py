"""What JSON Schema cannot say of the API's requests, for requests that are made up from the API document.

Valid requests are made such that they get to the answers: addresses in one case, for their checksum cannot be made up, and half of them
those of the sample market; no cursors, which only the service can give; lists without repetitions. The rules between parameters that
remain are listed, and a valid request may be refused for them alone. Invalid requests are left as they are.
"""

import json
import os
import re
import urllib.request

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData

ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")

# Operations, and those of their parameters that are also held to what no schema tells.
BEYOND_SCHEMAS = {
    "copy-plan": ("leadWallet",),  # another wallet than the follower's
    "copy-overlap": ("leadWallet", "leaders"),
    "copy-leaders": ("chain",),  # of one of the venues alone
    # Live trading is switched off; what goes with which venue; nobody has the zero address.
    "create-agent": ("mode", "riskConfig", "venue", "chain", "chainId", "smartAccountAddress", "leaderWalletAddress"),
    "activate-agent": ("results",),  # texts are measured in bytes; steps of another activation
    "perp-copy-decision": ("entryPrice", "markPrice", "liquidationPrice", "coin", "leverage", "maxLeverage", "maintenanceMarginRate"),
    "put-webhook": ("url",),  # https alone, and no address of a private network
}


def samples():
    with urllib.request.urlopen(os.environ["SAMPLES"]) as answer:
        market = json.load(answer)
    return {"wallet": market["wallets"], "token": market["tokens"]}


SAMPLES = samples()


def plain(value):
    """The value with addresses in one case, and every text of a list once."""
    if isinstance(value, str) and ADDRESS.fullmatch(value):
        return value.lower()
    if isinstance(value, list):
        value = [plain(each) for each in value]
        return list(dict.fromkeys(value)) if all(isinstance(each, str) for each in value) else value
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return value


def known(body):
    """The body about a wallet or a token of the sample market, where it is about one and the made-up address is even."""
    for name, market in SAMPLES.items():
        address = body.get(name, "")
        if ADDRESS.fullmatch(address) and int(address, 16) % 2 == 0:
            sample = market[int(address, 16) // 2 % len(market)]
            body = {**body, name: sample["address"]}
            if "chain" in body:
                body["chain"] = sample["chain"]
    return body


@schemathesis.hook
def before_call(context, case, **kwargs):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if isinstance(case.body, dict):
        case.body = known(plain(case.body))
    if case.query:
        case.query = {name: plain(value) for name, value in case.query.items() if name != "cursor"}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if not isinstance(failure, RejectedPositiveData):
        return True
    refusal = json.loads(response.content)
    parameter = re.split(r"[.\[]", refusal.get("param", ""))[0]
    label = case.operation.definition.raw.get("operationId")
    return refusal["error"] != "invalid_param" or parameter not in BEYOND_SCHEMAS.get(label, ())
