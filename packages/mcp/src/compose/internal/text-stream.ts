import type { BodyStream } from '@sallyport/core';

/** One server-sent event (WHATWG HTML section 9.2). */
export interface ServerEvent {
  /** The lines of its data, joined. */
  readonly data: string;
  /** The id to resume after this event; absent if the event sets none. */
  readonly id?: string;
}

/** The lines of a stream of UTF-8 text, without their ends. A last line without an end is a line. */
export async function* readLines(stream: BodyStream): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    // A CR at the end can be the first half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest = (rest + decoder.decode()).replace(/\r$/, '');
  if (rest !== '') yield rest;
}

/** The events of a stream. Comments, and an event without its blank line at the end, are left out. */
export async function* readEvents(stream: BodyStream): AsyncGenerator<ServerEvent> {
  let data: string[] = [];
  let id: string | undefined;
  for await (const line of readLines(stream)) {
    if (line === '') {
      if (data.length > 0) yield id === undefined ? { data: data.join('\n') } : { data: data.join('\n'), id };
      data = [];
      id = undefined;
      continue;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) id = value;
  }
}
