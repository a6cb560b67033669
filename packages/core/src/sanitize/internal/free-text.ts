import { maskCard, maskRestricted, REDACTED } from '../masks.js';
import { cutBytes, cutMark } from './cut-text.js';
import { scrubAssignments } from './free-text-assignments.js';
import type { KeyJudge } from './keys.js';
import { passesLuhn } from './light-scrub.js';
import { SIGN, signsOf } from './text-signs.js';

/** What is looked at of a text; the rest is cut. */
const MAX_SCRUBBED_BYTES = 65_536;
const MAX_PARTIAL_WORD = 512;
const MAX_LABEL = 64;
const MAX_LOCAL_PART = 254;

const SSN = /(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)/g;
const AWS_KEY_ID = /A[KS]IA[A-Z0-9]{16}/g;
const WORDS_WITH_DOTS = /[A-Za-z0-9_.-]{12,}/g;
const GROUPED_DIGITS = /\d(?:[ -]?\d){12,}/g;
const LOCAL_PART = /[A-Za-z0-9._+'~%\-\u0080-\uffff]/;
const DOMAIN = /[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*/y;

/**
 * Masks secrets inside prose, in time linear in the text: every pattern either has a bound, or consumes what it looked at.
 * Looks at {@link MAX_SCRUBBED_BYTES}; the rest is cut, and the mark `…[+N]` says how many bytes that was.
 */
export function scrubText(text: string, judge: KeyJudge): string {
  const { text: head, left } = cutBytes(text, MAX_SCRUBBED_BYTES);
  if (left === 0) return scrubHead(head, judge);
  const kept = withoutPartialWord(head);
  return scrubHead(kept, judge) + cutMark(left + Buffer.byteLength(head.slice(kept.length), 'utf8'));
}

/** A secret across the cut would not be recognised by its first half: the last word goes too. */
function withoutPartialWord(head: string): string {
  const blank = Math.max(head.lastIndexOf(' '), head.lastIndexOf('\n'), head.lastIndexOf('"'));
  return blank >= head.length - MAX_PARTIAL_WORD ? head.slice(0, blank + 1) : head;
}

function scrubHead(text: string, judge: KeyJudge): string {
  const signs = signsOf(text);
  if (signs === 0) return text;
  let out = text;
  if (signs & SIGN.dashes) out = scrubPrivateKeys(out);
  if (signs & SIGN.mark && out.includes('@') && out.includes('://')) out = scrubUserInfo(out);
  if (signs & (SIGN.mark | SIGN.scheme)) out = scrubAssignments(out, judge);
  if (signs & SIGN.jwt) out = out.replace(WORDS_WITH_DOTS, scrubJwt);
  if (signs & SIGN.keyId) out = out.replace(AWS_KEY_ID, REDACTED);
  if (signs & SIGN.mark) out = scrubEmails(out);
  if (signs & SIGN.digits) out = out.replace(SSN, maskRestricted).replace(GROUPED_DIGITS, scrubCards);
  return out;
}

/** PEM blocks (RFC 7468) of private keys; one without an end reaches to the end of the text. */
function scrubPrivateKeys(text: string): string {
  let out = '';
  let done = 0;
  for (let label = text.indexOf('PRIVATE KEY-----'); label >= 0; label = text.indexOf('PRIVATE KEY-----', done)) {
    const from = Math.max(done, label - MAX_LABEL);
    const begin = from + text.slice(from, label).lastIndexOf('-----BEGIN ');
    const body = label + 'PRIVATE KEY-----'.length;
    if (begin < from) {
      out += text.slice(done, body);
      done = body;
      continue;
    }
    const end = text.indexOf('-----END ', body);
    const tail = end < 0 ? -1 : text.indexOf('-----', end + '-----END '.length);
    out += text.slice(done, begin) + REDACTED;
    done = tail < 0 ? text.length : tail + '-----'.length;
  }
  return out + text.slice(done);
}

/** User and password of a URL (RFC 3986 section 3.2.1): what stands between `//` and the last `@` of the authority. */
function scrubUserInfo(text: string): string {
  return text.replace(/:\/\/[^/?#\s"'<>\\]+/g, (authority) => {
    const at = authority.lastIndexOf('@');
    return at < 0 ? authority : `://${REDACTED}${authority.slice(at)}`;
  });
}

/** RFC 7515 section 7.1: parts in base64url joined by dots, the first of them a JSON object. */
function scrubJwt(run: string): string {
  const start = run.indexOf('eyJ');
  const dot = start < 0 ? -1 : run.indexOf('.', start);
  return dot - start < 8 || dot === run.length - 1 ? run : run.slice(0, start) + REDACTED;
}

function scrubEmails(text: string): string {
  if (!text.includes('@') && !text.includes('%40')) return text;
  let out = '';
  let done = 0;
  for (const { 0: mark, index } of text.matchAll(/@|%40/g)) {
    if (index < done) continue;
    DOMAIN.lastIndex = index + mark.length;
    const domain = DOMAIN.exec(text)?.[0] ?? '';
    if (!/\.[A-Za-z][A-Za-z0-9-]+$/.test(domain)) continue;
    let start = index;
    while (start > done && index - start < MAX_LOCAL_PART && LOCAL_PART.test(text.charAt(start - 1))) start -= 1;
    if (start === index) continue;
    out += text.slice(done, start) + REDACTED;
    done = index + mark.length + domain.length;
  }
  return out + text.slice(done);
}

/** Masks each run of digit groups that a card number can be; a group glued to a letter (as in a UUID) joins no other. */
function scrubCards(run: string, offset: number, text: string): string {
  if (offset > 1 && text[offset - 1] === '.' && /\d/.test(text[offset - 2] ?? '')) return run;
  const groups = run.split(/([ -])/);
  const first = /[A-Za-z]/.test(text[offset - 1] ?? '') ? 2 : 0;
  const last = groups.length - (/[A-Za-z]/.test(text[offset + run.length] ?? '') ? 3 : 1);
  let out = '';
  for (let start = 0; start < groups.length; ) {
    const end = cardEnd(groups, start, start < first ? start : Math.max(last, start));
    out +=
      end < 0 ? (groups[start] ?? '') + (groups[start + 1] ?? '') : maskCard(groups.slice(start, end + 1).join(''));
    if (end >= 0) out += groups[end + 1] ?? '';
    start = (end < 0 ? start : end) + 2;
  }
  return out;
}

/** The last group of the longest card number that begins at a group, or -1. Separators stand between groups. */
function cardEnd(groups: readonly string[], start: number, last: number): number {
  let digits = '';
  let found = -1;
  for (let end = start; end <= last; end += 2) {
    digits += groups[end] ?? '';
    if (digits.length > 19) break;
    if (digits.length >= 13 && passesLuhn(digits)) found = end;
  }
  return found;
}
