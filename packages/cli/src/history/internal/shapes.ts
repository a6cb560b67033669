import { fromJson } from '@sallyport/core/internal';
import { isSensitiveKey, sanitizeJson, sanitizeValue, scrubFreeText } from '@sallyport/core/observability';

/** Selection of the values that an exported history has. */
export interface Selection {
  /** `shapes`: placeholders; `all`: recorded values without secrets. */
  readonly payloads: 'shapes' | 'all';
  /** Members, and names of operations, whose values are kept. */
  readonly keep: readonly string[];
  /** Members that are removed. */
  readonly remove: readonly string[];
}

/** Members of a trigger's event by which it is recognized and dispatched. Their values are names of resources, ids and times. */
const ROUTING =
  /^(?:awsRegion|AWSRegion|event(?:Source|SourceARN|SourceArn|Name|Version|ID|Time)|Event(?:Source|Version|SubscriptionArn)|(?:Topic)?[Aa]rn|TopicArn|Type|[mM]essageId|[sS]equenceNumber|StreamViewType|ApproximateReceiveCount|SentTimestamp|ApproximateFirstReceiveTimestamp|ApproximateArrivalTimestamp|kinesisSchemaVersion|detail-type|source|version|id|time|region|resources|routeKey|method|httpMethod|stage|resource|resourcePath|content-type|protocol|topic|partition|offset|bootstrapServers|timestampType|isBase64Encoded|s3SchemaVersion|configurationId|sequencer|eTag|size|name)$/;
/** Members of a trigger's event that contain data of the application. */
const DATA =
  /^(?:body|Message|Subject|detail|data|value|key|Keys|NewImage|OldImage|headers|multiValueHeaders|queryStringParameters|multiValueQueryStringParameters|rawQueryString|cookies|authorizer|identity|messageAttributes|MessageAttributes|userIdentity|requestParameters|responseElements)$/;
const PATHS = /^(?:rawPath|path)$/;
const BASE64 = /^[A-Za-z0-9+/]{4,}={0,2}$/;
/** `$input` is the digest of a step's input, which placeholders would contradict. */
const DIGESTED = /^\{"\$input":"[^"]{64}"(?:,"value":([\s\S]*))?\}$/;

/** Replaces the values of one history: equal strings become equal placeholders. */
export class Shapes {
  readonly #selection: Selection;
  readonly #texts = new Map<string, string>();

  constructor(selection: Selection) {
    this.#selection = selection;
  }

  /** The input of an execution, which can still be dispatched. */
  input(payload: string): string {
    if (this.#selection.payloads === 'all') return withoutAccount(this.#clean(payload));
    return JSON.stringify(this.#routed(fromJson(payload)));
  }

  /** A result of an operation, with its name. */
  result(payload: string, name: string): string {
    if (this.#selection.payloads === 'all') return this.#clean(payload);
    const [digested, value] = DIGESTED.exec(payload) ?? [];
    const text = digested === undefined ? payload : (value ?? 'null');
    if (this.#selection.keep.includes(name)) return this.#clean(text);
    const parsed: unknown = fromJson(text);
    // Scopes and kind of the caller are read by the policy of a replay.
    if (name.startsWith('framework ')) return JSON.stringify(this.#value(parsed, ['kind', 'scopes', 'claims']));
    return parsed === undefined ? this.#text(text) : JSON.stringify(this.#value(parsed));
  }

  /** An error: its message is text of an exception. */
  error(error: Readonly<Record<string, unknown>>): object {
    const { ErrorType, ErrorMessage, ErrorData } = error;
    const { payloads } = this.#selection;
    return {
      ...(typeof ErrorType === 'string' && { ErrorType }),
      ...(typeof ErrorMessage === 'string' && {
        ErrorMessage: payloads === 'all' ? scrubFreeText(ErrorMessage) : 'error',
      }),
      ...(typeof ErrorData === 'string' && { ErrorData: this.#failure(ErrorData) }),
    };
  }

  /** The framework's own data of a failure keeps its kind, name and code. */
  #failure(data: string): string {
    const parsed: unknown = fromJson(data);
    if (this.#selection.payloads === 'all') return this.#clean(data);
    return JSON.stringify(this.#value(parsed, ['kind', 'name', 'code', 'statusCode']));
  }

  #clean(payload: string): string {
    const removed = JSON.stringify(fromJson(payload), (name, value: unknown) =>
      this.#selection.remove.includes(name) ? undefined : value,
    );
    return removed === undefined ? scrubFreeText(payload) : sanitizeJson(removed);
  }

  #routed(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#routed(item));
    if (typeof value !== 'object' || value === null) return this.#value(value);
    return Object.fromEntries(
      this.#members(value).map(([name, member]) => {
        if (PATHS.test(name) && typeof member === 'string') return [name, this.#path(member)];
        if (ROUTING.test(name) && !isNested(member)) return [name, withoutAccounts(sanitizeValue(member))];
        return [name, DATA.test(name) ? this.#value(member) : this.#routed(member)];
      }),
    );
  }

  #value(value: unknown, keep: readonly string[] = []): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value <= 9 ? value : 10;
    if (Array.isArray(value)) return value.map((item) => this.#value(item, keep));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      this.#members(value).map(([name, member]) => {
        const isKept = keep.includes(name) || this.#selection.keep.includes(name);
        return [name, isKept && !isSensitiveKey(name) ? sanitizeValue(member) : this.#value(member, keep)];
      }),
    );
  }

  #members(value: object): [string, unknown][] {
    return Object.entries(value).filter(([name]) => !this.#selection.remove.includes(name) && !isSensitiveKey(name));
  }

  /** JSON in a string keeps its members; other text keeps its form only. */
  #text(text: string): string {
    if (text === '') return '';
    if (/^[[{"]/.test(text)) {
      const inner: unknown = fromJson(text);
      if (inner !== undefined) return JSON.stringify(this.#value(inner));
    }
    const decoded = BASE64.test(text) && text.length % 4 === 0 ? Buffer.from(text, 'base64').toString() : '';
    if (/^[[{]/.test(decoded) && fromJson(decoded) !== undefined)
      return Buffer.from(this.#text(decoded)).toString('base64');
    if (/^\d+$/.test(text)) return '10';
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return '2000-01-01T00:00:00.000Z';
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const place = `text-${this.#texts.size + 1}`;
    this.#texts.set(text, place);
    return place;
  }

  /** Words of a path are names of routes; other segments are values. */
  #path(path: string): string {
    return path
      .split('/')
      .map((part) => (/^(?:[a-z_-]{0,32}|v\d)$/i.test(part) ? part : this.#text(part)))
      .join('/');
  }
}

/** Replaces the account ids of ARNs in a string. */
export function withoutAccount(text: string): string {
  return text.replace(/\b(arn:[\w-]*:[\w-]*:[\w-]*):\d{12}:/g, '$1:000000000000:');
}

function withoutAccounts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAccounts);
  return typeof value === 'string' ? withoutAccount(value) : value;
}

const isNested = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !(Array.isArray(value) && value.every((one) => typeof one === 'string'));
