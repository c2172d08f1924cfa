"""Parses bodies of OTLP log exports with the message types of OpenTelemetry, one task and one result per line of JSON.

`json_format.Parse` rejects unknown members, wrong types and numbers that do not fit.
"""

import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest


def value_of(value):
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [value_of(one) for one in value.array_value.values]
    return getattr(value, kind)


def attributes_of(attributes):
    return {attribute.key: value_of(attribute.value) for attribute in attributes}


def record_of(record):
    return {
        "timeUnixNano": str(record.time_unix_nano),
        "observedTimeUnixNano": str(record.observed_time_unix_nano),
        "severityNumber": record.severity_number,
        "severityText": record.severity_text,
        "eventName": record.event_name,
        "body": value_of(record.body),
        "attributes": attributes_of(record.attributes),
    }


def parse(body):
    try:
        request = json_format.Parse(body, ExportLogsServiceRequest())
    except json_format.ParseError as error:
        return {"problem": str(error)}
    # As a receiver would forward it in the other encoding.
    again = ExportLogsServiceRequest.FromString(request.SerializeToString())
    return {
        "resources": [attributes_of(one.resource.attributes) for one in again.resource_logs],
        "records": [
            record_of(record)
            for resource in again.resource_logs
            for scope in resource.scope_logs
            for record in scope.log_records
        ],
    }


for line in sys.stdin:
    print(json.dumps(parse(json.loads(line)["body"])))
