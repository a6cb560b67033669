import type { Sanitizer } from '@sallyport/core/observability';
import type { Pseudonyms } from './pseudonyms.js';

const EMAIL = /[\w.%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}/g;
const IPV4 = /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])/g;
const IPV6 =
  /(?<![\w:])(?:[0-9a-fA-F]{1,4}:){2,7}(?::?[0-9a-fA-F]{1,4})+(?![\w:])|(?<![\w:])[0-9a-fA-F]{1,4}::(?:[0-9a-fA-F]{1,4}:?)*(?![\w:])/g;
const UUID = /\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b/g;
const ARN = /\barn:(aws[\w-]*):([\w-]*):([\w-]*):(\d{12}|)(:[^\s"',]+)/g;
const ACCOUNT = /(?<!\d)\d{12}(?!\d)/g;
const AWS_HOST =
  /\b([a-z0-9-]+)((?:\.[a-z0-9-]+)*\.(?:amazonaws\.com(?:\.cn)?|on\.aws|amazoncognito\.com|cloudfront\.net))\b/g;
/** A word of 24 characters or more with letters and digits: the form of ids and keys. */
const LONG_WORD = /(?<![\w%+/=-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}(?![\w%+/=-])/g;

/** Words in ARNs that are not names. */
const ARN_WORDS = new Set([
  'stream',
  'table',
  'rule',
  'schedule',
  'default',
  'function',
  'role',
  'user',
  'targetgroup',
  'log-group',
  'event-bus',
]);

/** Cleans strings: values that the sanitizer hides are hidden, and names of users, machines and accounts are replaced. */
export class TextCleaner {
  readonly #sanitizer: Sanitizer;
  readonly #pseudonyms: Pseudonyms;
  readonly #keep: ReadonlySet<string>;

  /** @param keep names in ARNs that are not replaced */
  constructor(sanitizer: Sanitizer, pseudonyms: Pseudonyms, keep: ReadonlySet<string>) {
    this.#sanitizer = sanitizer;
    this.#pseudonyms = pseudonyms;
    this.#keep = keep;
  }

  clean(text: string): string {
    return this.identifiers(this.#sanitizer.scrubFreeText(text));
  }

  /** Without the sanitizer: for the members of AWS's envelope. */
  identifiers(text: string): string {
    const names = this.#pseudonyms;
    return text
      .replace(ARN, (_, partition, service, region, account, rest) =>
        ['arn', partition, service, region, account && names.ofAccount(account)].join(':').concat(this.#arnRest(rest)),
      )
      .replace(EMAIL, (address) => (address.endsWith('@example.com') ? address : names.ofEmail(address)))
      .replace(AWS_HOST, (_, label: string, rest: string) => names.ofId(label) + rest)
      .replace(UUID, (id) => names.ofId(id))
      .replace(IPV4, (address) => names.ofAddress(address))
      .replace(IPV6, (address) => names.ofAddress(address))
      .replace(LONG_WORD, (word) => names.ofId(word))
      .replace(ACCOUNT, (account) => names.ofAccount(account));
  }

  /** The resource of an ARN: AWS words and a suffix `.fifo` are kept, names are replaced. */
  #arnRest(rest: string): string {
    return rest.replace(/[^:/]+/g, (part) => {
      if (ARN_WORDS.has(part) || this.#keep.has(part) || /^\d{4}-\d{2}-\d{2}T?/.test(part)) return part;
      const [, name = part, suffix = ''] = /^(.*?)(\.fifo)?$/.exec(part) ?? [];
      return this.#keep.has(name) ? part : this.#pseudonyms.ofName(name) + suffix;
    });
  }
}
