// REST at the replay's moment: the newest recorded answer to the same question; books and single markets from what was recorded
// of them, where that is newer or the question was never asked while recording.

import type { Micros, Recalled, RestAnswer, RestRequest, VenueAdapter } from '@ladderlog/core';
import { Query } from '@ladderlog/core';
import { nodePrimitives } from '@ladderlog/servers';

/** Bodies kept; the longest unused go first. */
const MAX_BYTES = 64 * 1024 * 1024;

type Recorded = { readonly body: string; readonly at: Micros };

export class RecordedAnswers {
  private readonly byQuestion = new Map<string, Recorded>();
  /** Query parameters that are no part of a question. */
  private readonly authParameters: readonly string[];
  private bytes = 0;

  constructor(authParameters: readonly string[]) {
    this.authParameters = authParameters;
  }

  /** The question, with parameters in one order. */
  private questionOf(service: string, path: string, { pairs }: Query): string {
    const asked = pairs
      .filter(([name]) => !this.authParameters.includes(name))
      .map(([name, value]) => `${name}=${value}`);
    return `${service}:${path}?${asked.sort().join('&')}`;
  }

  /** `channel` as recorded: `rest:/path?query`. */
  note(channel: string, body: string, at: Micros): void {
    const match = /^([a-z]+):([^?]*)(?:\?(.*))?$/s.exec(channel);
    if (!match) return;
    const question = this.questionOf(match[1]!, match[2]!, new Query(match[3] ?? ''));
    this.bytes += body.length - (this.byQuestion.get(question)?.body.length ?? 0);
    this.byQuestion.delete(question);
    this.byQuestion.set(question, { body, at });
    for (const [oldest, { body: dropped }] of this.byQuestion) {
      if (this.bytes <= MAX_BYTES || oldest === question) break;
      this.byQuestion.delete(oldest);
      this.bytes -= dropped.length;
    }
  }

  find({ service, path, query }: RestRequest): Recorded | null {
    return this.byQuestion.get(this.questionOf(service, path, query)) ?? null;
  }

  copy(): RecordedAnswers {
    const copy = new RecordedAnswers(this.authParameters);
    for (const [question, answer] of this.byQuestion) copy.byQuestion.set(question, answer);
    copy.bytes = this.bytes;
    return copy;
  }
}

export function answerOf(
  { replay }: VenueAdapter,
  request: RestRequest,
  recorded: RecordedAnswers,
  known: Recalled,
): RestAnswer | null {
  const taped = recorded.find(request);
  const derived = replay.answer(request, known, nodePrimitives);
  if (derived && (!taped || derived.at > taped.at)) return derived.answer;
  return taped ? { status: 200, body: taped.body } : null;
}
