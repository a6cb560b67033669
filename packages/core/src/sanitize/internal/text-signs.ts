/** What a text has that a secret could be recognised by, as bits. */
export const SIGN = {
  /** `=`, `:`, `@` or `%`. */
  mark: 1,
  /** Nine digits or more. */
  digits: 2,
  /** `eyJ`. */
  jwt: 4,
  /** `AKIA` or `ASIA`, as far as `IA`. */
  keyId: 8,
  /** `bearer` or `basic`, as far as the second letter. */
  scheme: 16,
  /** Two dashes in a row. */
  dashes: 32,
} as const;

const MIN_DIGITS = 9;

/**
 * One look at each character. Nearly every short string of a record has none of the signs, and five regular expressions
 * that find nothing cost five times as much.
 */
export function signsOf(text: string): number {
  let signs = 0;
  let digits = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 37: // %
      case 58: // :
      case 61: // =
      case 64: // @
        signs |= SIGN.mark;
        break;
      case 45: // -
        if (text.charCodeAt(index + 1) === 45) signs |= SIGN.dashes;
        break;
      case 74: // J
        if (text.charCodeAt(index - 1) === 121) signs |= SIGN.jwt;
        break;
      case 73: // I
        if (text.charCodeAt(index + 1) === 65) signs |= SIGN.keyId;
        break;
      case 66: // B
      case 98: // b
        if (/^[ea]$/i.test(text.charAt(index + 1))) signs |= SIGN.scheme;
        break;
      case 48:
      case 49:
      case 50:
      case 51:
      case 52:
      case 53:
      case 54:
      case 55:
      case 56:
      case 57:
        digits += 1;
        break;
      default:
    }
  }
  return digits >= MIN_DIGITS ? signs | SIGN.digits : signs;
}
