import { createHmac, randomBytes } from 'node:crypto';

const DIGITS = '0123456789';
const HEX = '0123456789abcdef';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * Replacements for names and ids. Equal values have equal replacements during the lifetime of this object. They depend on a
 * random key that never leaves the object, so a replacement cannot be traced back.
 */
export class Pseudonyms {
  readonly #key = randomBytes(32);

  /** A value of the same form: digits for digits, letters for letters, all other characters unchanged. */
  ofId(value: string): string {
    const isHex = /^[0-9a-f-]+$/.test(value) && /[a-f]/.test(value);
    const noise = this.#noise(value, value.length);
    return [...value].map((character, index) => alike(character, noise[index] ?? 0, isHex)).join('');
  }

  /** 12 digits that do not begin with 0. */
  ofAccount(account: string): string {
    return `1${this.ofId(account).slice(1)}`;
  }

  /** A name such as `name-3f2a9c1b`. */
  ofName(name: string): string {
    return `name-${this.#hex(name)}`;
  }

  /** An address of `example.com` (RFC 2606). */
  ofEmail(address: string): string {
    return `person-${this.#hex(address.toLowerCase())}@example.com`;
  }

  /** An address of the range for documentation: RFC 5737, RFC 3849. */
  ofAddress(address: string): string {
    const [first = 0, second = 0] = this.#noise(address, 2);
    if (!address.includes(':')) return `203.0.113.${first}`;
    return `2001:db8::${first.toString(16)}${second.toString(16).padStart(2, '0')}`;
  }

  #hex(value: string): string {
    return this.#digest(value, 0).toString('hex').slice(0, 8);
  }

  #noise(value: string, length: number): number[] {
    const noise: number[] = [];
    for (let block = 0; noise.length < length; block += 1) noise.push(...this.#digest(value, block));
    return noise;
  }

  #digest(value: string, block: number): Buffer {
    return createHmac('sha256', this.#key).update(`${block}:${value}`).digest();
  }
}

function alike(character: string, noise: number, isHex: boolean): string {
  for (const alphabet of isHex ? [HEX] : [DIGITS, LOWER, UPPER]) {
    if (alphabet.includes(character)) return alphabet.charAt(noise % alphabet.length);
  }
  return character;
}
