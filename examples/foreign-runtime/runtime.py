#!/usr/bin/env python3
"""A runtime of the framework in another language, as far as two areas of the contract need it: `detection` and `provenance`.

It speaks the protocol of contract-fixtures/README.md over standard input and output: one JSON object a line, one answer a
question, in order. It needs nothing but Python 3.9.
"""

import ipaddress
import json
import re
import sys

PROTOCOL = "framework.contract/1"
AREAS = ["detection", "provenance"]

# Detection: the rows are tried in this order, and the first whose conditions hold gives the kind.

ABSENT = object()
# What ECMAScript counts as white space; the contract's word "blank" means these characters alone.
WHITE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
URL_DOMAIN = re.compile(r"[a-z0-9<>-]+\.lambda-url\.[a-z0-9-]+\.on\.(aws|amazonwebservices\.(com\.cn|eu))")


class FrameworkError(Exception):
    """An error with a stable code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code
        self.message = message


def at(value, *steps):
    """The value behind names and indexes, or ABSENT."""
    for step in steps:
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                return ABSENT
        elif not isinstance(value, dict) or step not in value:
            return ABSENT
        value = value[step]
    return value


def is_object(value):
    return isinstance(value, dict)


def is_text(value):
    return isinstance(value, str) and value.strip(WHITE_SPACE) != ""


def is_url_domain(value):
    return isinstance(value, str) and URL_DOMAIN.fullmatch(value) is not None


def record_of(source):
    return lambda event: at(event, "Records", 0, "eventSource") == source


def is_topic(event):
    first = at(event, "Records", 0)
    return is_object(first) and ("Sns" in first or first.get("EventSource") == "aws:sns")


def is_event_bus(event):
    return isinstance(at(event, "detail-type"), str) or isinstance(at(event, "detailType"), str)


def is_appsync(event):
    info = at(event, "info")
    return (
        is_text(at(info, "fieldName"))
        and is_text(at(info, "parentTypeName"))
        and at(event, "arguments") is not ABSENT
    )


def is_gateway_v2(event):
    return (
        is_object(at(event, "requestContext", "http"))
        and at(event, "routeKey") is not ABSENT
        and not is_url_domain(at(event, "requestContext", "domainName"))
    )


def is_function_url(event):
    return is_object(at(event, "requestContext", "http")) and (
        at(event, "routeKey") is ABSENT or is_url_domain(at(event, "requestContext", "domainName"))
    )


ROWS = [
    ("queue", record_of("aws:sqs")),
    ("table-stream", record_of("aws:dynamodb")),
    ("stream", record_of("aws:kinesis")),
    ("topic", is_topic),
    ("event-bus", is_event_bus),
    ("appsync", is_appsync),
    ("websocket", lambda event: is_text(at(event, "requestContext", "connectionId"))),
    ("gateway-v2", is_gateway_v2),
    ("function-url", is_function_url),
    ("load-balancer", lambda event: is_text(at(event, "requestContext", "elb", "targetGroupArn"))),
    ("gateway-v1", lambda event: is_text(at(event, "httpMethod"))),
]


def detect(event):
    """The kind of an event, by its shape alone."""
    if isinstance(event, list) and event and all(is_appsync(entry) for entry in event):
        return "appsync"
    if not is_object(event):
        raise FrameworkError("dispatch.not_an_object", "framework: event must be an object")
    for kind, holds in ROWS:
        if holds(event):
            return kind
    raise FrameworkError("dispatch.unknown_event", "framework: unknown event type")


# Provenance: the address of the client, from the provider's own request context and from nowhere else.

UNKNOWN = {"source_ip": "", "provider": "unknown", "source": "unknown", "valid": False}
PLACES = {
    "gateway-v2": ("apigw-v2", ("requestContext", "http", "sourceIp")),
    "function-url": ("lambda-url", ("requestContext", "http", "sourceIp")),
    "gateway-v1": ("apigw-v1", ("requestContext", "identity", "sourceIp")),
}
PROVIDERS = {provider for provider, _ in PLACES.values()}


def canonical_address(text):
    """An address as RFC 5952 writes it, or None."""
    if not isinstance(text, str) or "%" in text:
        return None
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return f"::ffff:{mapped}" if mapped else str(address)


def provenance(provider, text):
    address = canonical_address(text)
    if address is None:
        return UNKNOWN
    return {"source_ip": address, "provider": provider, "source": "provider_request_context", "valid": True}


def provenance_of_event(kind, event):
    if kind not in PLACES:
        return UNKNOWN
    provider, steps = PLACES[kind]
    return provenance(provider, at(event, *steps))


def provenance_of_request(request):
    given = request.get("source_provenance") or {}
    is_ours = given.get("provider") in PROVIDERS and given.get("source") == "provider_request_context"
    return provenance(given["provider"], given.get("source_ip")) if is_ours else UNKNOWN


# One fixture: a fresh container, then its steps.


class Unsupported(Exception):
    """Something that this runtime does not have; the runner counts the fixture as failed, unless a skip names it."""


class Fixture:
    def __init__(self, setup):
        self.setup = setup
        self.requests = 0

    def run(self, step):
        call = step["call"]
        try:
            if call == "detect":
                return {"result": detect(step.get("event"))}
            if call == "dispatch":
                return self.dispatch(step.get("event"))
            if call == "serve":
                return {"response": self.answer(provenance_of_request(step["request"]), has_id=True)}
        except FrameworkError as error:
            return {"error": {"code": error.code, "message": error.message}}
        raise Unsupported(f"call {call}")

    def dispatch(self, event):
        kind = detect(event)
        if self.setup["container"] == "events":
            raise FrameworkError("dispatch.no_adapter", f"framework: no adapter for {kind}")
        is_p0 = self.setup.get("options", {}).get("tier") == "p0"
        has_id = kind != "websocket" and not is_p0
        return {"response": self.answer(provenance_of_event(kind, event), has_id)}

    def answer(self, found, has_id):
        """The answer of the one handler that a fixture of `provenance` registers."""
        handler = self.setup["register"][0]["handler"]
        headers = {"content-type": ["application/json; charset=utf-8"]}
        if has_id:
            self.requests += 1
            headers["x-request-id"] = [f"test-id-{self.requests}"]
        if handler["use"] == "alter":
            body = found
        elif handler["use"] == "show":
            views = {"provenance": found, "source_ip": found["source_ip"]}
            body = {name: views[name] for name in handler["with"]["pick"]}
        else:
            raise Unsupported(f"handler {handler['use']}")
        return {"status": 200, "headers": headers, "cookies": [], "body": json.dumps(body)}


def answer_to(message):
    """The answer to a message of the runner; None where there is none."""
    kind = message["type"]
    if kind == "hello":
        return {
            "type": "hello",
            "protocol": PROTOCOL,
            "runtime": {"name": "python-example", "version": "1.0.0"},
            "areas": AREAS,
            "calls": ["detect", "dispatch", "serve"],
            "handlers": ["show", "alter"],
        }
    if kind == "run":
        try:
            fixture = Fixture(message["setup"])
            steps = [fixture.run(step) for step in message["steps"]]
        except Unsupported as reason:
            return {"type": "unsupported", "seq": message["seq"], "reason": str(reason)}
        return {"type": "done", "seq": message["seq"], "construction_error": None, "steps": steps}
    return None


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "bye":
            return
        answer = answer_to(message)
        if answer is not None:
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
