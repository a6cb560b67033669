import { decodeEscapes, REDACTED } from '@sallyport/core/internal';
import { createSanitizer, type Sanitizer } from '@sallyport/core/observability';
import { cleanBase64, cleanText } from './packed.js';
import type { Pseudonyms } from './pseudonyms.js';
import { TextCleaner } from './text.js';

/** A clean event and the places of the replaced values. */
export interface CleanEvent {
  readonly event: unknown;
  /** Paths such as `$.headers.authorization`, in the order of the event. */
  readonly redactions: readonly string[];
}

/** Place of a value in the event. */
interface Place {
  readonly path: string;
  /** The value's key; for an attribute value of DynamoDB, the attribute's name. */
  readonly key: string;
  /** The object that holds it. */
  readonly holder: Readonly<Record<string, unknown>>;
  /** True if a client or a producer sent it; false for members of AWS's envelope. */
  readonly isData: boolean;
  /** True if it is a parameter of a query or a field of a form. */
  readonly isQuery?: boolean;
  /** True if it is a header, whose value a client sent. */
  readonly isHeader?: boolean;
}

/** Members that AWS writes and detection reads. */
const ENVELOPE_WORDS =
  /^(?:version|httpMethod|method|protocol|stage|routeKey|resource|resourcePath|eventSource|EventSource|eventVersion|EventVersion|eventName|eventType|awsRegion|region|messageDirection|StreamViewType|kinesisSchemaVersion|detail-type|source|Type|SignatureVersion|parentTypeName|fieldName|sequenceNumber|SequenceNumber|requestTime|time|Timestamp|dataType|DataType|SentTimestamp|ApproximateFirstReceiveTimestamp|ApproximateReceiveCount)$/;
/** Members with data of a client or a producer. */
const DATA =
  /^(?:body|Message|detail|Keys|NewImage|OldImage|arguments|variables|stash|prev|queryStringParameters|multiValueQueryStringParameters|logEvents|messageAttributes|MessageAttributes|extractedFields)$/;
const ID =
  /(?:^id|[a-z](?:Id|ID)|[_-]id|Id|ID|[rR]eceiptHandle|^sub|[uU]ser[nN]ame|^user|^caller|accessKey|userArn|principalOrgId)$/;
const PATHS = /^(?:path|rawPath)$/;
const COOKIES = /^(?:cookies|cookie|set-cookie)$/i;
const QUERIES = /^(?:multiValueQ|q)ueryStringParameters$/;
const HEADERS = /^(?:multiValueH|h)eaders$/;
/** An authorization code in a query or a form; a shorter value is a word such as a country. */
const CODES = /^(?:code|device_code)$/;
const MIN_CODE = 10;
const ADDRESSES = /^(?:sourceIp|x-forwarded-for|x-real-ip)$/i;
const HOSTS = /^(?:host|domainName|origin|referer|x-forwarded-host)$/i;
const ATTRIBUTE_TYPE = /^(?:S|N|B|SS|NS|BS|M|L)$/;

/** Cleans events without changing their shape: each value is replaced by one of the same type. */
export class EventCleaner {
  readonly #sanitizer: Sanitizer;
  readonly #pseudonyms: Pseudonyms;
  readonly #text: TextCleaner;
  #redactions: string[] = [];

  constructor(sanitizer: Sanitizer | undefined, pseudonyms: Pseudonyms, keep: readonly string[]) {
    this.#sanitizer = sanitizer ?? createSanitizer();
    this.#pseudonyms = pseudonyms;
    this.#text = new TextCleaner(this.#sanitizer, pseudonyms, new Set(keep));
  }

  clean(event: unknown): CleanEvent {
    this.#redactions = [];
    const copy = this.#value(event, { path: '$', key: '', holder: {}, isData: false });
    return { event: copy, redactions: this.#redactions };
  }

  #value(value: unknown, place: Place): unknown {
    if (typeof value === 'string') return this.#noting(value, this.#string(value, place), place);
    if (typeof value === 'number') return this.#noting(value, this.#number(value, place), place);
    if (Array.isArray(value)) {
      return value.map((member, index) => this.#value(member, { ...place, path: `${place.path}[${index}]` }));
    }
    if (typeof value === 'object' && value !== null) return this.#object(value as Record<string, unknown>, place);
    return value;
  }

  #object(object: Readonly<Record<string, unknown>>, { path, key, isData }: Place): unknown {
    const entries = Object.entries(object).map(([name, member]): [string, unknown] => {
      const isAttribute = isData && ATTRIBUTE_TYPE.test(name);
      const place: Place = {
        path: /^\w+$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`,
        key: isAttribute ? key : name,
        holder: object,
        isData: isData || DATA.test(name),
        isQuery: QUERIES.test(key),
        isHeader: HEADERS.test(key),
      };
      return [name, this.#value(member, place)];
    });
    return Object.fromEntries(entries);
  }

  #noting<T>(before: T, after: T, { path }: Place): T {
    if (before !== after) this.#redactions.push(path);
    return after;
  }

  #string(text: string, place: Place): string {
    const { key, holder, isData } = place;
    if (text === '') return text;
    if (!isData && ENVELOPE_WORDS.test(key)) return text;
    if (COOKIES.test(key)) return text.replace(/=[^;]*/g, `=${REDACTED}`);
    if (this.#isHidden(key, text) || isCode(text, place)) return REDACTED;
    if (isPacked(place)) return cleanBase64(text, this.#content(place));
    if (ADDRESSES.test(key)) return this.#text.identifiers(text);
    if (HOSTS.test(key)) return this.#address(text, place);
    if (PATHS.test(key)) return this.#path(text, holder);
    if (key === 'rawQueryString') return this.#query(text, place);
    if (isData) return this.#data(text, place);
    if (ID.test(key)) return this.#id(text);
    return place.isHeader ? this.#text.clean(text) : this.#text.identifiers(text);
  }

  #data(text: string, place: Place): string {
    if (ID.test(place.key)) return this.#id(text);
    if (place.key === 'body' && /^[^\s{["<]+=[^\s]*$/.test(text)) return this.#query(text, place);
    return cleanText(text, this.#content(place));
  }

  #number(value: number, { key, isData }: Place): number {
    const digits = String(Math.abs(value));
    if (!isData || !Number.isSafeInteger(value)) return value;
    const isLongId = ID.test(key) && digits.length >= 6;
    if (!isLongId && this.#sanitizer.sanitizeFieldValue(key, value) === value) return value;
    return Number(`1${this.#pseudonyms.ofId(digits).slice(1)}`) * Math.sign(value);
  }

  #isHidden(key: string, text: string): boolean {
    const shown = this.#sanitizer.sanitizeFieldValue(key, text);
    return shown === REDACTED || (typeof shown === 'string' && /^\*+\w{0,4}$/.test(shown));
  }

  /** Keeps a shard's id: it contains the sequence number, whose order counts. */
  #id(text: string): string {
    if (/^shardId-\d+:\d+$/.test(text)) return text;
    const cleaned = this.#text.identifiers(text);
    return cleaned === text ? this.#pseudonyms.ofId(text) : cleaned;
  }

  /** A URL; its query is cleaned like the query of a request. */
  #address(text: string, place: Place): string {
    const question = text.indexOf('?');
    if (question < 0) return this.#host(text);
    return `${this.#host(text.slice(0, question))}?${this.#query(text.slice(question + 1), place)}`;
  }

  #host(text: string): string {
    const cleaned = this.#text.identifiers(text);
    if (cleaned !== text || /^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(text)) return cleaned;
    return text.replace(
      /^(https?:\/\/)?([^/:]+)/,
      (_, scheme: string | undefined, host: string) => `${scheme ?? ''}${this.#pseudonyms.ofName(host)}.example.com`,
    );
  }

  /** A path, whose parameters are replaced as in `pathParameters`. */
  #path(path: string, holder: Readonly<Record<string, unknown>>): string {
    const values = new Map<string, string>();
    for (const [name, value] of Object.entries((holder.pathParameters ?? {}) as Record<string, unknown>)) {
      if (typeof value === 'string')
        values.set(value, this.#string(value, { path: '', key: name, holder: {}, isData: true }));
    }
    return path.replace(/[^/]+/g, (segment) => values.get(decodeEscapes(segment)) ?? this.#segment(segment));
  }

  #segment(segment: string): string {
    const decoded = decodeEscapes(segment);
    if (/^\d{6,}$/.test(decoded)) return this.#pseudonyms.ofId(decoded);
    const cleaned = this.#text.clean(decoded);
    return cleaned === decoded ? segment : encodeURIComponent(cleaned);
  }

  /** A query string or a form: each value by its name. */
  #query(text: string, place: Place): string {
    return text.replace(/([^&=]+)=([^&]*)/g, (_, name: string, value: string) => {
      const decoded = decodeEscapes(value.replaceAll('+', ' '));
      const cleaned = this.#string(decoded, { ...place, key: decodeEscapes(name), isData: true, isQuery: true });
      return `${name}=${cleaned === decoded ? value : encodeURIComponent(cleaned)}`;
    });
  }

  #content(place: Place) {
    return {
      json: (value: unknown) => this.#value(value, { ...place, key: '', isData: true }),
      text: (text: string) => this.#text.clean(text),
    };
  }
}

function isCode(text: string, { key, isQuery = false }: Place): boolean {
  return isQuery && CODES.test(key) && text.length >= MIN_CODE;
}

/** True if a string is base64 by its place: the data of a stream, a binary attribute, or a body with `isBase64Encoded`. */
function isPacked({ path, key, holder }: Place): boolean {
  if (key === 'body') return holder.isBase64Encoded === true;
  if (path.endsWith('.B') || /\.BS\[\d+\]$/.test(path)) return true;
  return key === 'data' && ('partitionKey' in holder || Object.keys(holder).length === 1);
}
