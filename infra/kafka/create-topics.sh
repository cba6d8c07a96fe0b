#!/usr/bin/env bash
# Makes Ladderlog's topics with the settings without which the log's promises would not hold. Ladderlog does the same at its
# start when it may; use this where its user may not create topics. Again is harmless: what exists stays as it is.
#
#   BOOTSTRAP=kafka:9092 PARTITIONS=12 REPLICATION=3 infra/kafka/create-topics.sh
#   FRAMES_DAYS=90 …   keeps the wire tape for 90 days only (books, gaps and markets stay for ever)
set -euo pipefail

: "${BOOTSTRAP:=localhost:9092}" "${PREFIX:=ladderlog.}" "${PARTITIONS:=4}" "${REPLICATION:=3}" "${FRAMES_DAYS:=}"
# kafka-topics.sh of the Kafka distribution; "docker exec … kafka-topics.sh" works too. COMMAND_CONFIG: a client.properties.
: "${KAFKA_TOPICS:=kafka-topics.sh}" "${COMMAND_CONFIG:=}"

min_insync=1
flush=(--config flush.messages=1)
# Acknowledged means durable: on two copies or, where there is one only, on its disk.
if ((REPLICATION >= 3)); then min_insync=2; fi
if ((REPLICATION > 1)); then flush=(); fi

for topic in venuea venuea.frames venueb venueb.frames venuec venuec.frames control; do
  retention=-1
  if [[ $topic == *.frames && -n $FRAMES_DAYS ]]; then retention=$((FRAMES_DAYS * 86400000)); fi
  # shellcheck disable=SC2086
  $KAFKA_TOPICS --bootstrap-server "$BOOTSTRAP" ${COMMAND_CONFIG:+--command-config "$COMMAND_CONFIG"} \
    --create --if-not-exists --topic "$PREFIX$topic" \
    --partitions "$PARTITIONS" --replication-factor "$REPLICATION" \
    --config cleanup.policy=delete \
    --config retention.ms=$retention \
    --config retention.bytes=-1 \
    --config max.message.bytes=58720256 \
    --config compression.type=producer \
    --config message.timestamp.type=CreateTime \
    --config message.timestamp.before.max.ms=9223372036854775807 \
    --config message.timestamp.after.max.ms=9223372036854775807 \
    --config min.insync.replicas=$min_insync \
    ${flush[@]+"${flush[@]}"}
done
