/** A span that the function exported. */
export interface TracedSpan {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string;
  /** `''` for the first span of a trace. */
  readonly parentId: string;
  /** The spans that this span links to, for example the producers of messages. */
  readonly links: readonly string[];
  /** `GET /notes/{id}`. */
  readonly name: string;
  /** `server`, `consumer`, `client` and so on. */
  readonly kind: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly at: number; readonly name: string }[];
  /** The code or the message of the failure; `null` for success. */
  readonly error: string | null;
}

/** The ids of a span, which the sanitizer must keep. */
const HEX = /^(?:[0-9a-f]{16}|[0-9a-f]{32})$/;

/** A sanitized span. Ids that are not hexadecimal digits are sanitized like any other string. */
export function cleanSpan(span: TracedSpan, clean: (value: unknown) => unknown): TracedSpan {
  const id = (text: string) => (text === '' || HEX.test(text) ? text : String(clean(text)));
  const { traceId, spanId, parentId, links, ...rest } = span;
  return {
    ...(clean(rest) as Omit<TracedSpan, 'traceId' | 'spanId' | 'parentId' | 'links'>),
    traceId: id(traceId),
    spanId: id(spanId),
    parentId: id(parentId),
    links: links.map(id),
  };
}
