import { decodeUtf8 } from '../request/encoding.js';
import { fromJson } from '../values/read.js';
import { scrubText } from './internal/free-text.js';
import { SanitizerWalk } from './internal/walk.js';
import { parsePolicy, type SanitizerPolicy } from './policy.js';
import { sanitizeXmlText, type XmlPattern } from './xml.js';

/** Sanitizes values for logs, metrics, spans and notifications. No member throws or changes its input. */
export interface Sanitizer {
  /** A clean, bounded copy. Objects of it have no prototype. */
  sanitizeValue(value: unknown): unknown;
  /** A clean copy of the value of a key. */
  sanitizeFieldValue(key: string, value: unknown): unknown;
  /** Clean JSON text; `(empty)` for empty input, `(malformed JSON)` for invalid JSON. */
  sanitizeJson(text: string | Uint8Array, options?: { readonly pretty?: boolean }): string;
  /** Clean XML text; the given patterns are added to `PAYMENT_XML_PATTERNS`. */
  sanitizeXml(text: string, patterns?: readonly XmlPattern[]): string;
  /** Prose with its secrets masked; at most 64 KiB of it. */
  scrubFreeText(text: string): string;
  /** An error as `{ name, message, code?, status?, stack?, cause?, errors? }`; anything else as a `NonError`. */
  sanitizeError(error: unknown, options?: { readonly stack?: boolean }): Record<string, unknown>;
}

/**
 * A sanitizer with a policy. Passwords, tokens and similar values (the first group of the table) are redacted
 * regardless of the policy.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, action or limit
 * @example createSanitizer({ allow: ['session_key'], rules: [{ parent: 'customer', key: 'name', action: 'redact' }] });
 */
export function createSanitizer(policy: SanitizerPolicy = {}): Sanitizer {
  const parsed = parsePolicy(policy);
  const { judge, keeps } = parsed;
  const walk = () => new SanitizerWalk(parsed);
  return {
    sanitizeValue: (value) => walk().clean(value, 1, ''),
    sanitizeFieldValue: (key, value) => walk().entry(String(key), value, 1, ''),
    sanitizeJson(text, { pretty = false } = {}) {
      const json = typeof text === 'string' ? text : decodeUtf8(text);
      if (json.trim() === '') return '(empty)';
      const document = fromJson(json);
      if (document === undefined) return '(malformed JSON)';
      const copy = new SanitizerWalk(parsed, true, 'json').clean(document, 1, '');
      return JSON.stringify(copy, null, pretty ? 2 : undefined);
    },
    sanitizeXml: (text, patterns) => sanitizeXmlText(text, patterns ?? [], judge, keeps),
    scrubFreeText: (text) => scrubText(text, judge, keeps),
    sanitizeError: (error, { stack = true } = {}) => new SanitizerWalk(parsed, stack).thrown(error),
  };
}

/** The sanitizer without a policy. */
export const defaultSanitizer: Sanitizer = createSanitizer();

/** A clean, bounded copy of a value, without a policy: {@link Sanitizer.sanitizeValue}. */
export const sanitizeValue: Sanitizer['sanitizeValue'] = defaultSanitizer.sanitizeValue;
/** A clean copy of the value of a key, without a policy: {@link Sanitizer.sanitizeFieldValue}. */
export const sanitizeFieldValue: Sanitizer['sanitizeFieldValue'] = defaultSanitizer.sanitizeFieldValue;
/** Clean JSON text, without a policy: {@link Sanitizer.sanitizeJson}. */
export const sanitizeJson: Sanitizer['sanitizeJson'] = defaultSanitizer.sanitizeJson;
/** Clean XML text, without a policy: {@link Sanitizer.sanitizeXml}. */
export const sanitizeXml: Sanitizer['sanitizeXml'] = defaultSanitizer.sanitizeXml;
/** Prose with its secrets masked, without a policy: {@link Sanitizer.scrubFreeText}. */
export const scrubFreeText: Sanitizer['scrubFreeText'] = defaultSanitizer.scrubFreeText;
/** The loggable form of an error, without a policy: {@link Sanitizer.sanitizeError}. */
export const sanitizeError: Sanitizer['sanitizeError'] = defaultSanitizer.sanitizeError;
