// What a venue says of its sockets: where, what to send, and how long to wait for what.

export type Target = { readonly market: string; readonly outcomes: readonly string[] };

export type StreamSpec = {
  readonly name: string;
  /** Fresh per connect: signatures age. */
  readonly endpoint: () => { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** What changes the meaning of the frames; recorded beside each. */
  readonly settings: Readonly<Record<string, string>>;
  /** Messages to send after the socket opens, for these targets. */
  readonly hello: (targets: readonly Target[]) => string[];
  readonly add: (targets: readonly Target[]) => string[];
  readonly remove: (targets: readonly Target[]) => string[];
  /** Asks the venue for the whole book of these again, on the open socket. Where that does not help, we reconnect. */
  readonly resync: (targets: readonly Target[]) => string[];
  /** Sees each inbound text before it is normalized (subscription ids and the like); what it gives is sent in answer. */
  readonly onText?: (text: string) => readonly string[];
  readonly onOpen?: () => void;
  readonly keepAlive: { readonly everyMs: number; readonly text: string | null };
  /** Nothing inbound at all, pings included, for so long: the socket is dead. */
  readonly silenceMs: number;
  /** We leave before the venue closes (24 h). */
  readonly lifeMs: number;
  /** After open, a subscribed book that has not come by then is overdue. */
  readonly firstBookMs: number;
  /** At most so many client messages a second (venue A: 5). */
  readonly minSendGapMs: number;
};
