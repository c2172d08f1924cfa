"""Sends planned requests with Python's HTTP clients.

One JSON document per line: a job in, what its author holds out, the headers in, the outcome out.
"""
import asyncio
import base64
import importlib
import json
import sys
import urllib.parse
import urllib.request


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def flat(query):
    return [(name, value) for name, value in query]


def naive(query):
    return "&".join(f"{name}={value}" for name, value in query)


QUERIES = {
    "naive": naive,
    "urlencode": lambda query: urllib.parse.urlencode(query, doseq=True),
    "urlencode-quote": lambda query: urllib.parse.urlencode(query, doseq=True, quote_via=urllib.parse.quote),
    "urlencode-flat": lambda query: urllib.parse.urlencode(query),
    "quote-safe": lambda query: "&".join(
        f"{urllib.parse.quote(name)}={urllib.parse.quote(str(value))}" for name, value in query
    ),
}


def with_module(name, function):
    module = optional(name)
    return (lambda data: function(module, data)) if module else None


JSON = {
    "json.dumps": json.dumps,
    "json.dumps compact": lambda data: json.dumps(data, separators=(",", ":")),
    "json.dumps unicode": lambda data: json.dumps(data, ensure_ascii=False),
    "json.dumps compact unicode": lambda data: json.dumps(data, separators=(",", ":"), ensure_ascii=False),
    "json.dumps sorted": lambda data: json.dumps(data, sort_keys=True),
    "json.dumps indent": lambda data: json.dumps(data, indent=2),
    "json.dumps indent 4 sorted": lambda data: json.dumps(data, indent=4, sort_keys=True),
    "json.dumps twice": lambda data: json.dumps(json.dumps(data)),
    "str": str,
    "orjson": with_module("orjson", lambda module, data: module.dumps(data)),
    "orjson indent": with_module("orjson", lambda module, data: module.dumps(data, option=module.OPT_INDENT_2)),
    "orjson sorted newline": with_module(
        "orjson",
        lambda module, data: module.dumps(data, option=module.OPT_SORT_KEYS | module.OPT_APPEND_NEWLINE),
    ),
    "simplejson": with_module("simplejson", lambda module, data: module.dumps(data)),
    "simplejson html": with_module(
        "simplejson", lambda module, data: module.dumps(data, cls=module.encoder.JSONEncoderForHTML)
    ),
    "ujson": with_module("ujson", lambda module, data: module.dumps(data)),
    "ujson unescaped": with_module(
        "ujson", lambda module, data: module.dumps(data, ensure_ascii=False, escape_forward_slashes=False)
    ),
    "rapidjson": with_module("rapidjson", lambda module, data: module.dumps(data)),
    "rapidjson unicode": with_module("rapidjson", lambda module, data: module.dumps(data, ensure_ascii=False)),
    "msgspec": with_module("msgspec.json", lambda module, data: module.encode(data)),
}


def to_bytes(text):
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def send_requests(job, headers, module):
    body = {}
    if "data" in job and job["way"] == "json":
        body = {"json": job["data"]}
    elif job["way"] == "form":
        body = {"data": flat(job["query"])}
    elif "text" in job:
        body = {"data": job["text"]}
    params = flat(job["query"]) if job["way"] == "query" else None
    module.Session().request(
        job["method"], job["url"], params=params, headers=dict(headers), allow_redirects=False, timeout=5, **body
    )


def send_httpx(job, headers, module):
    body = {}
    if job["way"] == "json":
        body = {"json": job["data"]}
    elif job["way"] == "form":
        names = [name for name, _ in job["query"]]
        body = {"data": {name: [value for other, value in job["query"] if other == name] for name in names}}
    elif "text" in job:
        body = {"content": job["text"]}
    params = flat(job["query"]) if job["way"] == "query" else None
    module.request(job["method"], job["url"], params=params, headers=dict(headers), timeout=5, **body)


def send_aiohttp(job, headers, module):
    async def run():
        body = {}
        if job["way"] == "json":
            body = {"json": job["data"]}
        elif job["way"] == "form":
            body = {"data": flat(job["query"])}
        elif "text" in job:
            body = {"data": job["text"]}
        params = flat(job["query"]) if job["way"] == "query" else None
        async with module.ClientSession() as session:
            async with session.request(
                job["method"], job["url"], params=params, headers=dict(headers), allow_redirects=False, **body
            ):
                pass

    asyncio.run(run())


def send_urllib3(job, headers, module):
    pool = module.PoolManager(timeout=5, retries=False)
    options = {"headers": dict(headers)}
    if job["way"] == "json":
        pool.request(job["method"], job["url"], json=job["data"], **options)
    elif job["way"] == "form":
        pool.request_encode_body(job["method"], job["url"], fields=flat(job["query"]), encode_multipart=False, **options)
    elif job["way"] == "query":
        pool.request_encode_url(job["method"], job["url"], fields=flat(job["query"]), **options)
    elif "text" in job:
        pool.request(job["method"], job["url"], body=job["text"], **options)
    else:
        pool.request(job["method"], job["url"], **options)


def own_body(job):
    """What a program gives a client that serialises nothing."""
    if job["way"] == "json":
        return json.dumps(job["data"])
    if job["way"] == "form":
        return urllib.parse.urlencode(flat(job["query"]))
    return job.get("text")


def own_url(job):
    return job["url"] + "?" + urllib.parse.urlencode(flat(job["query"])) if job["way"] == "query" else job["url"]


def send_urllib(job, headers, _):
    body = own_body(job)
    request = urllib.request.Request(
        own_url(job), data=None if body is None else body.encode(), headers=dict(headers), method=job["method"]
    )
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=5)


def send_http_client(job, headers, module):
    parts = urllib.parse.urlsplit(own_url(job))
    connection = module.HTTPConnection(parts.hostname, parts.port or 80, timeout=5)
    target = urllib.parse.urlunsplit(("", "", parts.path, parts.query, "")) or "/"
    connection.request(job["method"], target, own_body(job), dict(headers))
    connection.getresponse().read()


def send_httplib2(job, headers, module):
    module.Http(timeout=5).request(own_url(job), job["method"], own_body(job), dict(headers))


def send_tornado(job, headers, module):
    async def run():
        client = module.AsyncHTTPClient(force_instance=True)
        await client.fetch(
            own_url(job),
            method=job["method"],
            headers=dict(headers),
            body=own_body(job),
            allow_nonstandard_methods=True,
            follow_redirects=False,
        )

    asyncio.run(run())


def send_pycurl(job, headers, module):
    curl = module.Curl()
    curl.setopt(module.URL, own_url(job).encode())
    curl.setopt(module.CUSTOMREQUEST, job["method"])
    curl.setopt(module.HTTPHEADER, [f"{name}: {value}" for name, value in headers])
    curl.setopt(module.WRITEFUNCTION, lambda _: None)
    curl.setopt(module.TIMEOUT, 5)
    body = own_body(job)
    if body is not None:
        curl.setopt(module.POSTFIELDS, body.encode())
    curl.perform()


CLIENTS = {
    "requests": ("requests", send_requests),
    "niquests": ("niquests", send_requests),
    "httpx": ("httpx", send_httpx),
    "aiohttp": ("aiohttp", send_aiohttp),
    "urllib3": ("urllib3", send_urllib3),
    "urllib.request": ("urllib.request", send_urllib),
    "http.client": ("http.client", send_http_client),
    "httplib2": ("httplib2", send_httplib2),
    "tornado": ("tornado.httpclient", send_tornado),
    "pycurl": ("pycurl", send_pycurl),
}


def hold(job):
    """What the author of the signing code believes is sent."""
    url, body = job["url"], None
    if job["way"] == "query":
        url += "?" + QUERIES[job["signs"]](flat(job["query"]))
    elif job["way"] == "form":
        body = QUERIES[job["signs"]](flat(job["query"]))
    elif job["way"] in ("json", "relay"):
        body = job["holds"] if "holds" in job else JSON[job["signs"]](job["data"])
    elif "text" in job:
        body = job["text"]
    return {"url": url, "body": None if body is None else base64.b64encode(to_bytes(body)).decode()}


def say(value):
    print(json.dumps(value), flush=True)


def main():
    installed = [name for name, (module, _) in CLIENTS.items() if optional(module)]
    serialisers = [name for name, function in JSON.items() if function]
    say({"clients": installed, "serialisers": serialisers, "queries": list(QUERIES)})
    for line in sys.stdin:
        job = json.loads(line)
        try:
            if job["way"] == "serialise":
                say({"held": {"url": "", "body": base64.b64encode(to_bytes(JSON[job["signs"]](job["data"]))).decode()}})
                continue
            if job.get("sends"):
                serialised = JSON[job["sends"]](job["data"])
                job["text"] = serialised
            held = hold(job)
            if job.get("sends"):
                job["way"] = "text"
            say({"held": held})
        except Exception as error:
            say({"error": repr(error)[:200]})
            continue
        headers = json.loads(sys.stdin.readline())["headers"]
        module, send = CLIENTS[job["client"]]
        try:
            send(job, [tuple(header) for header in headers], optional(module))
            say({"sent": True})
        except Exception as error:
            say({"error": repr(error)[:200]})


main()
