"""Signs and sends requests as a Python programmer writes it, and makes the mistakes that it is told to make.

Standard library and the openssl command only. Standard input: a JSON list of jobs. Each job is sent to 127.0.0.1.
"""

import base64
import email.utils
import gzip
import hashlib
import http.client
import io
import json
import os
import subprocess
import sys
import time
import unicodedata
from datetime import datetime, timezone
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit


def openssl(arguments, data):
    return subprocess.run(["openssl", *arguments], input=data, stdout=subprocess.PIPE, check=True).stdout


class Job:
    def __init__(self, values):
        self.values = values
        self.slips = set(values["slips"])
        self.done = set()

    def __getitem__(self, name):
        return self.values[name]

    def has(self, slip):
        """Whether this mistake is made. What is asked for and never met is an error of the plan."""
        if slip in self.slips:
            self.done.add(slip)
            return True
        return False


def signed_url(job):
    url = job["url"]
    parts = urlsplit(url)
    query = parts.query
    path = parts.path
    if job.has("params_later"):
        # requests.get(url, params=...): the signature is made before the library adds the parameters.
        query = ""
    if job.has("one_param_later"):
        query = query.split("&")[0]
    if job.has("sorted_params"):
        query = urlencode(sorted(parse_qsl(query)), quote_via=quote, safe="")
    if job.has("quote_plus"):
        query = urlencode(parse_qsl(query))
    if job.has("unquoted_query"):
        query = unquote(query)
    if job.has("unquoted_path"):
        path = unquote(path)
    if job.has("decomposed_path"):
        # A name that was read from a file system of macOS.
        path = quote(unicodedata.normalize("NFD", unquote(path)))
    if job.has("trailing_slash"):
        path = path.rstrip("/") + "/"
    if job.has("base_url_with_slash"):
        base_url = "/"
        path = base_url + path
    if job.has("relative_path"):
        # The setting of the base URL ends with /v1, the signed text is put together without it.
        path = path[len("/v1"):]
    if job.has("prefix_twice"):
        path = "/v1" + path
    scheme = parts.scheme
    host = parts.netloc
    if job.has("http_setting"):
        scheme = "http"
    if job.has("explicit_port"):
        host = f"{parts.hostname}:443"
    if job.has("hostname_without_port"):
        host = parts.hostname
    if job.has("unicode_host"):
        host = parts.hostname.encode("ascii").decode("idna")
    if job.has("default_base_url"):
        host = "api.countersign.example"
    if job.has("mesh_address"):
        scheme, host = "http", "gateway.internal:8080"
    url = f"{scheme}://{host}{path}"
    if job.has("path_only"):
        url = path
    if query:
        url += "?" + query
    if job.has("empty_params"):
        url += "?" + urlencode({})
    if job.has("anchor"):
        url += "#create-a-payment"
    return url


def compact(data):
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def bodies(job):
    """The bytes that are sent, and those that the digest is made of."""
    data = job["data"]
    sent = (job["text"] if data is None else compact(data)).encode("utf-8")
    hashed = sent
    if job.has("sends_ascii"):
        sent = json.dumps(data, separators=(",", ":")).encode("ascii")
    if job.has("sends_default_dumps"):
        # requests.post(json=data): the library writes the JSON itself.
        sent = json.dumps(data).encode("utf-8")
    if job.has("sends_indented"):
        sent = json.dumps(data, indent=4, ensure_ascii=False).encode("utf-8")
    if job.has("hashes_ascii"):
        hashed = json.dumps(data, separators=(",", ":")).encode("ascii")
    if job.has("hashes_default_separators"):
        hashed = json.dumps(data, ensure_ascii=False).encode("utf-8")
    if job.has("hashes_default_dumps"):
        hashed = json.dumps(data).encode("utf-8")
    if job.has("hashes_indented"):
        hashed = json.dumps(data, indent=2, ensure_ascii=False).encode("utf-8")
    if job.has("hashes_sorted"):
        hashed = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
    if job.has("hashes_str"):
        hashed = str(data).encode("utf-8")
    if job.has("hashes_floats"):
        # Amounts as floats, as a data frame has them.
        floats = {name: float(value) if isinstance(value, int) else value for name, value in data.items()}
        hashed = compact(floats).encode("utf-8")
    if job.has("hashes_dumps_of_dumps"):
        hashed = json.dumps(sent.decode("utf-8")).encode("utf-8")
    if job.has("hashes_base64"):
        hashed = base64.b64encode(sent)
    if job.has("hashes_quoted"):
        hashed = quote(sent, safe="").encode("ascii")
    if job.has("hashes_urlencoded"):
        hashed = urlencode(data).encode("ascii")
    if job.has("hashes_latin1"):
        hashed = sent.decode("utf-8").encode("latin-1", "replace")
    if job.has("hashes_utf16"):
        hashed = sent.decode("utf-8").encode("utf-16-le")
    if job.has("hashes_bom"):
        hashed = sent.decode("utf-8").encode("utf-8-sig")
    if job.has("sends_bom"):
        sent = sent.decode("utf-8").encode("utf-8-sig")
    if job.has("hashes_stripped"):
        hashed = sent.decode("utf-8").strip().encode("utf-8")
    if job.has("hashes_printed"):
        hashed = sent + b"\n"
    if job.has("hashes_text_mode"):
        # open(name, newline="\r\n"), or a file that was written on Windows.
        hashed = sent.replace(b"\n", b"\r\n")
    if job.has("hashes_read_stream"):
        stream = io.BytesIO(sent)
        stream.read()
        hashed = stream.read()
    if job.has("hashes_previous_body"):
        hashed = b'{"reference":"order-41","amount":990,"currency":"EUR"}'
    if job.has("compresses_after"):
        hashed, sent = sent, gzip.compress(sent, mtime=0)
    return sent, hashed


def content_digest(job, hashed):
    digest = hashlib.sha256(hashed)
    if job.has("digest_sha512"):
        digest = hashlib.sha512(hashed)
    if job.has("digest_md5"):
        digest = hashlib.md5(hashed)
    text = base64.b64encode(digest.digest()).decode()
    if job.has("digest_hexdigest"):
        text = digest.hexdigest()
    if job.has("digest_urlsafe"):
        text = base64.urlsafe_b64encode(digest.digest()).decode().rstrip("=")
    if job.has("digest_encoded_twice"):
        text = base64.b64encode(text.encode()).decode()
    if job.has("digest_of_hexdigest"):
        text = base64.b64encode(digest.hexdigest().encode()).decode()
    if job.has("digest_in_quotes"):
        return f'sha-256="{text}"'
    if job.has("digest_old_form"):
        return f"SHA-256={text}"
    if job.has("digest_without_colons"):
        return f"sha-256={text}"
    return f"sha-256=:{text}:"


def times(job):
    clock = job["clock"]
    created = str(int(clock))
    date = email.utils.formatdate(clock, usegmt=True)
    if job.has("milliseconds"):
        created = str(clock * 1000 + 417)
    if job.has("fraction"):
        created = str(clock + 0.417)
    if job.has("utcnow_timestamp"):
        # datetime.utcnow().timestamp() on a machine in Berlin: the naive time is taken for a local one.
        naive = datetime.fromtimestamp(clock, timezone.utc).replace(tzinfo=None)
        created = str(int(naive.timestamp()))
    if job.has("formatdate"):
        date = email.utils.formatdate(clock)
    if job.has("isoformat"):
        date = datetime.fromtimestamp(clock, timezone.utc).isoformat()
    if job.has("local_strftime"):
        date = datetime.fromtimestamp(clock).strftime("%a, %d %b %Y %H:%M:%S GMT")
    if job.has("ctime"):
        date = time.asctime(time.gmtime(clock))
    return created, date


def signature_base(job, components, values, created, params):
    names = list(components)
    if job.has("date_first"):
        names = ["date"] + [name for name in names if name != "date"]
    if job.has("no_digest_line"):
        names = [name for name in names if name != "content-digest"]
    if job.has("no_method_line"):
        names = [name for name in names if name != "@method"]
    if job.has("date_set_later"):
        values = {**values, "date": ""}
    if job.has("header_names"):
        values = {name if name.startswith("@") else name.title(): value for name, value in values.items()}
        names = [name if name.startswith("@") else name.title() for name in names]
    if job.has("no_date_line"):
        names = [name for name in names if name != "date"]
    if job.has("cached_date"):
        values = {**values, "date": email.utils.formatdate(int(job["clock"]) - 1, usegmt=True)}
    if job.has("lower_values"):
        values = {name: value if name.startswith("@") else value.lower() for name, value in values.items()}
    if job.has("untrimmed_date"):
        values = {**values, "date": values["date"] + " "}
    if job.has("cavage_lines"):
        target = urlsplit(job["url"])
        request_target = f"{job['method'].lower()} {target.path}{'?' + target.query if target.query else ''}"
        lines = [f"(request-target): {request_target}"]
        lines += [f"{name}: {values[name]}" for name in names if not name.startswith("@")]
        return "\n".join(lines)
    if job.has("cavage_created_lines"):
        target = urlsplit(job["url"])
        request_target = f"{job['method'].lower()} {target.path}{'?' + target.query if target.query else ''}"
        lines = [f"(request-target): {request_target}", f"(created): {created}", f"host: {target.netloc}"]
        lines += [f"{name}: {values[name]}" for name in names if not name.startswith("@")]
        return "\n".join(lines)
    separator = ": "
    if job.has("colon_without_space"):
        separator = ":"
    quoted = '"{}"'
    if job.has("unquoted_names"):
        quoted = "{}"
    if job.has("request_target_line"):
        target = urlsplit(job["url"])
        values = {**values, "@request-target": target.path + ("?" + target.query if target.query else "")}
        names = ["@request-target" if name == "@target-uri" else name for name in names]
    lines = [quoted.format(name) + separator + values[name] for name in names]

    signed = params
    if job.has("params_other_order"):
        listed = " ".join(f'"{name}"' for name in components)
        signed = f'({listed});keyid="{job["clientId"]}";alg="rsa-v1_5-sha256";created={created}'
    if job.has("params_with_spaces"):
        signed = signed.replace(";", "; ")
    if job.has("created_quoted"):
        signed = signed.replace(f"created={created}", f'created="{created}"')
    if job.has("clock_read_for_base"):
        signed = signed.replace(f"created={created}", f"created={int(created) + 1}")
    if job.has("created_float"):
        signed = signed.replace(f"created={created}", f"created={float(created)}")
    if job.has("params_with_label"):
        signed = "sig=" + signed
    if job.has("params_whole_header"):
        signed = "Signature-Input: sig=" + signed
    if not job.has("no_params_line"):
        lines.append(quoted.format("@signature-params") + separator + signed)

    end_of_line = "\n"
    if job.has("crlf"):
        end_of_line = "\r\n"
    base = end_of_line.join(lines)
    if job.has("log_prefix") or job.has("log_prefix_shown"):
        base = f"Signature base of {job['clientId']}:\n{base}"
    if job.has("line_ends_everywhere"):
        base += end_of_line
    return base


def sign(job, base):
    key = job["keyFile"]
    data = base.encode("utf-8")
    if job.has("utf16_base"):
        data = base.encode("utf-16-le")
    if job.has("signs_json_text"):
        # What is printed for the log is the base, what is signed is a JSON document with it.
        data = json.dumps({"base": base}).encode("utf-8")
    if job.has("hashes_before_signing"):
        data = hashlib.sha256(data).digest()
    if job.has("signs_hexdigest"):
        data = hashlib.sha256(data).hexdigest().encode()
    if job.has("signs_base64_hash"):
        data = base64.b64encode(hashlib.sha256(data).digest())
    if job.has("prehashed_without_info"):
        return openssl(["pkeyutl", "-sign", "-inkey", key], hashlib.sha256(data).digest())
    if job.has("pss"):
        options = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:max"]
        return openssl(["dgst", "-sha256", "-sign", key, *options], data)
    algorithm = "sha256"
    for other in ("md5", "sha1", "sha384", "sha512"):
        if job.has(f"signs_{other}"):
            algorithm = other
    signature = openssl(["dgst", f"-{algorithm}", "-sign", key], data)
    if job.has("little_endian"):
        # CryptSignHash of Windows gives the bytes in this order.
        signature = signature[::-1]
    return signature


def signature_text(job, signature):
    text = base64.b64encode(signature).decode()
    if job.has("signature_urlsafe"):
        text = base64.urlsafe_b64encode(signature).decode()
    if job.has("signature_encoded_twice"):
        text = base64.b64encode(text.encode()).decode()
    if job.has("signature_hex"):
        text = signature.hex()
    if job.has("signature_quoted"):
        text = quote(text, safe="")
    if job.has("encodebytes"):
        text = base64.encodebytes(signature).decode().strip().replace("\n", "\n ")
    if job.has("column_of_255"):
        text = text[:255]
    return text


def send(job):
    method = job["method"]
    sent, hashed = bodies(job)
    signed_method = method
    if job.has("lower_method"):
        signed_method = method.lower()
    if job.has("get_for_head"):
        signed_method = "GET"
    created, date = times(job)
    values = {"@method": signed_method, "@target-uri": signed_url(job), "date": date}
    components = ["@method", "@target-uri"]
    if job.has("covers_host"):
        values["host"] = urlsplit(job["url"]).netloc
        components.append("host")
    if job.has("no_method_covered"):
        components.remove("@method")
    if (sent and not job.has("digest_not_listed")) or job.has("digest_of_nothing"):
        values["content-digest"] = content_digest(job, hashed)
        components.append("content-digest")
    if not job.has("date_not_covered"):
        components.append("date")
    if job.has("stale_date"):
        # The date is made once, when the session begins.
        date = values["date"] = email.utils.formatdate(int(job["clock"]) - 95, usegmt=True)
    listed = " ".join(f'"{name}"' for name in components)
    params = f'({listed});created={created};keyid="{job["clientId"]}";alg="rsa-v1_5-sha256"'
    if job.has("created_as_text"):
        params = params.replace(f"created={created}", f'created="{created}"')
    if job.has("spaces_in_params"):
        params = params.replace(";", "; ")
    if job.has("without_alg"):
        params = params.replace(';alg="rsa-v1_5-sha256"', "")
    if job.has("with_expires"):
        params += f";expires={int(created) + 300}"
    if job.has("with_nonce"):
        params += ';nonce="b3k2pp5k7z-50gnwp.yemd"'
    if job.has("alg_of_jwt"):
        params = params.replace("rsa-v1_5-sha256", "RS256")
    if job.has("alg_of_draft"):
        params = params.replace("rsa-v1_5-sha256", "rsa-sha256")
    base = signature_base(job, components, values, created, params)
    with open(job["baseFile"], "wb") as file:
        file.write(base.encode("utf-8"))
    signature = signature_text(job, sign(job, base))

    label = "sig1" if job.has("label_of_examples") else "sig"
    signature_input = f"{label}={params}"
    if job.has("folded"):
        signature_input = signature_input.replace(";created", ";\r\n created")
    if job.has("date_again"):
        # The header is written with the time of sending, two seconds after the base was built.
        date = email.utils.formatdate(int(job["clock"]) + 2, usegmt=True)
    headers = [("Host", urlsplit(job["url"]).netloc), ("User-Agent", "python"), ("Accept", "*/*")]
    if not job.has("forgets_date"):
        headers.append(("Date", date))
    if job.has("two_dates"):
        headers.append(("Date", date))
    if job.has("override"):
        headers.append(("X-HTTP-Method-Override", method))
        method = "POST"
    if sent:
        headers += [("Content-Type", job["contentType"]), ("Content-Length", str(len(sent)))]
    elif method in ("POST", "PUT", "PATCH"):
        headers.append(("Content-Length", "0"))
    if job.has("reformatted_after_signing"):
        sent = json.dumps(job["data"], indent=2, ensure_ascii=False).encode("utf-8")
        values["content-digest"] = content_digest(job, sent)
        headers = [(name, str(len(sent)) if name == "Content-Length" else value) for name, value in headers]
    if "compresses_after" in job.slips:
        headers.append(("Content-Encoding", "gzip"))
    if sent and "content-digest" not in values:
        headers.append(("Content-Digest", content_digest(job, hashed)))
    if "content-digest" in values and not job.has("forgets_digest"):
        headers.append(("Digest" if job.has("old_digest_name") else "Content-Digest", values["content-digest"]))
    prefix = "X-" if job.has("x_prefix") else ""
    if job.has("cavage_header"):
        named = " ".join(component.lstrip("@") for component in components)
        headers.append(("Authorization", f'Signature keyId="{job["clientId"]}",algorithm="rsa-sha256",'
                        f'headers="{named}",signature="{signature}"'))
    else:
        if not job.has("forgets_signature_input"):
            headers.append((prefix + "Signature-Input", signature_input))
        value = f"{label}={signature}" if job.has("signature_without_colons") else f"{label}=:{signature}:"
        headers.append((prefix + "Signature", value))

    target = urlsplit(job["url"])
    connection = http.client.HTTPConnection("127.0.0.1", job["port"])
    path = target.path + ("?" + target.query if target.query else "")
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.endheaders(sent or None)
    connection.getresponse().read()
    connection.close()
    if job.done | {"compresses_after"} != job.slips | {"compresses_after"}:
        sys.exit(f"{job['id']}: not made: {job.slips - job.done}")


os.environ["TZ"] = "Europe/Berlin"
time.tzset()
for one in json.load(sys.stdin):
    send(Job(one))
