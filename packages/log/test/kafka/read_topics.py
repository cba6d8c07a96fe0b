"""Reads every record of the given topics and prints each as one line of JSON, decoded by fastavro with the schema that the
registry's Confluent API gives for the id in the record. Shares no code with the codec under test."""

import base64
import io
import json
import struct
import sys
import urllib.request

from confluent_kafka import Consumer, TopicPartition
from fastavro import parse_schema, schemaless_reader

brokers, registry, *topics = sys.argv[1:]


def without_logical_types(schema):
    """Times as the integers they are."""
    if isinstance(schema, list):
        return [without_logical_types(part) for part in schema]
    if isinstance(schema, dict):
        return {key: without_logical_types(value) for key, value in schema.items() if key != "logicalType"}
    return schema


schemas = {}


def schema_of(schema_id):
    if schema_id not in schemas:
        with urllib.request.urlopen(f"{registry}/schemas/ids/{schema_id}") as answer:
            schemas[schema_id] = parse_schema(without_logical_types(json.loads(json.load(answer)["schema"])))
    return schemas[schema_id]


def plain(value):
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    raise TypeError(type(value))


consumer = Consumer({"bootstrap.servers": brokers, "group.id": "fastavro", "enable.auto.commit": False})
left = 0
assignment = []
for topic in topics:
    for partition in consumer.list_topics(topic, timeout=20).topics[topic].partitions:
        begin, end = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=20)
        left += end - begin
        assignment.append(TopicPartition(topic, partition, begin))
consumer.assign(assignment)
while left > 0:
    message = consumer.poll(20)
    if message is None:
        sys.exit("no record within 20 s")
    if message.error():
        sys.exit(str(message.error()))
    left -= 1
    raw = message.value()
    magic, schema_id = struct.unpack(">bI", raw[:5])
    body = io.BytesIO(raw[5:])
    schema = schema_of(schema_id)
    event = schemaless_reader(body, schema)
    print(
        json.dumps(
            {
                "topic": message.topic(),
                "partition": message.partition(),
                "offset": message.offset(),
                "key": message.key().decode(),
                "timestamp": message.timestamp()[1],
                "magic": magic,
                "name": schema["name"],
                "unread": len(body.read()),
                "event": event,
            },
            default=plain,
        )
    )
consumer.close()
