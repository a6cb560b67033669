/** One server-sent event. */
export interface RawEvent {
  readonly type: string;
  readonly data: string;
  readonly id: string;
}

/** The state of several connections: the id of the last event, and the server's delay before the next connection. */
export interface StreamState {
  lastId: string;
  retryMs: number;
  /** True if the last stream ended between two events, not within an event. */
  ended: boolean;
}

/**
 * Reads server-sent events (WHATWG HTML section 9.2.6). An event without its end is dropped.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  state: StreamState,
): AsyncGenerator<RawEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let type = '';
  let data: string[] = [];
  let id = state.lastId;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      if (done) {
        state.ended = rest === '' && data.length === 0;
        return;
      }
      // A CR at the end of a chunk can be the first half of a CR LF.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          // The id of an event that never ended is not the last one.
          state.lastId = id;
          if (data.length > 0) yield { type: type || 'message', data: data.join('\n'), id };
          type = '';
          data = [];
        }
        const [, field, text = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
        if (field === 'data') data.push(text);
        else if (field === 'event') type = text;
        else if (field === 'id' && !text.includes('\0')) id = text;
        else if (field === 'retry' && /^\d+$/.test(text)) state.retryMs = Number(text);
      }
    }
  } finally {
    // The connection also ends if the reader of the events leaves early.
    await reader.cancel().catch(() => undefined);
  }
}
