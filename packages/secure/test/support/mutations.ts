import { constants, generateKeyPairSync, type KeyObject, privateEncrypt, publicDecrypt, sign } from 'node:crypto';
import { AUDIENCE, ISSUER, NOW } from './tokens.js';

/** A choice of a seeded generator. */
export interface Dice {
  below(limit: number): number;
  one<T>(list: readonly T[]): T;
  chance(share: number): boolean;
}

/** @param seed the same seed makes the same choices */
export function createDice(seed: number): Dice {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(random() * limit);
  return {
    below,
    one: <T>(list: readonly T[]) => list[below(list.length)] as T,
    chance: (share) => random() < share,
  };
}

/** A key pair, and the signatures that it makes. */
export interface Signer {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly jwk: Readonly<Record<string, unknown>>;
}

const PAIRS: Readonly<Record<string, () => { privateKey: KeyObject; publicKey: KeyObject }>> = {
  RS: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  Ed: () => generateKeyPairSync('ed25519'),
  weak: () => generateKeyPairSync('rsa', { modulusLength: 1024 }),
};

/** One key for each kind, and for each algorithm the signer that uses it. */
export function createSigners(suffix: string): readonly Signer[] {
  const make = (pair: string, algorithms: readonly string[]) => {
    const { privateKey, publicKey } = (PAIRS[pair] as () => { privateKey: KeyObject; publicKey: KeyObject })();
    const kid = `${pair}-${suffix}`;
    return algorithms.map((alg) => ({ kid, alg, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid } }));
  };
  return [
    ...make('RS', ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']),
    ...['ES256', 'ES384', 'ES512'].flatMap((alg) => make(alg, [alg])),
    ...make('Ed', ['EdDSA', 'Ed25519']),
    ...make('weak', ['RS256', 'PS256']),
  ];
}

/** The signature of an algorithm, or a similar one. */
export type SignatureForm = 'right' | 'der' | 'salt' | 'padding' | 'hash';

const hashOf = (alg: string) => (alg.startsWith('Ed') ? null : `sha${alg.slice(-3)}`);

export function signBytes({ alg, privateKey }: Signer, signed: string, form: SignatureForm, dice: Dice): Buffer {
  const data = Buffer.from(signed, 'latin1');
  const hash =
    form === 'hash' && !alg.startsWith('Ed') ? dice.one(['sha1', 'sha256', 'sha384', 'sha512']) : hashOf(alg);
  if (alg.startsWith('ES')) {
    return sign(hash, data, { key: privateKey, dsaEncoding: form === 'der' ? 'der' : 'ieee-p1363' });
  }
  if (alg.startsWith('PS')) {
    const saltLength = form === 'salt' ? dice.one([0, 20, 31, 33, 32, 48, 64]) : Number(alg.slice(-3)) / 8;
    return sign(hash, data, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
  }
  if (alg.startsWith('RS') && form === 'padding') return forgePadding(sign(hash, data, privateKey), privateKey, dice);
  return sign(hash, data, privateKey);
}

/** A PKCS #1 signature whose padding (RFC 8017 section 9.2) differs in one place from the only valid one. */
function forgePadding(signature: Buffer, key: KeyObject, dice: Dice): Buffer {
  const padding = { key, padding: constants.RSA_NO_PADDING };
  const block = publicDecrypt(padding, signature);
  const separator = block.indexOf(0, 2);
  const info = block.subarray(separator + 1);
  const withoutNull = Buffer.concat([info.subarray(0, 1), Buffer.from([(info[1] ?? 0) - 2]), info.subarray(2)]);
  const garbage = Buffer.alloc(dice.one([1, 8, separator - 10]), dice.below(256));
  const infos = [
    Buffer.concat([info, garbage]),
    withoutNull,
    Buffer.concat([Buffer.from([0x30, 0x80]), info.subarray(2)]),
    Buffer.concat([Buffer.from([0x30, 0x81]), info.subarray(1)]),
    info.subarray(19),
  ];
  const forged = Buffer.alloc(block.length, 0xff);
  const changed = dice.chance(0.7) ? dice.one(infos) : info;
  forged.set([0, changed === info ? dice.one([0, 2]) : 1]);
  forged[block.length - changed.length - 1] = 0;
  forged.set(changed, block.length - changed.length);
  return privateEncrypt(padding, forged);
}

const b64 = (text: string | Uint8Array) => Buffer.from(text as string).toString('base64url');

const ODD_VALUES: readonly unknown[] = [
  ...[null, true, false, '', ' ', 'x', '0', 0, -1, 1.5, 1e21, 1e308, Number.MAX_SAFE_INTEGER, -0, [], {}, [[]]],
  ...[NOW, NOW - 6, NOW - 5, NOW - 4, NOW + 4, NOW + 5, NOW + 6, NOW + 0.5, String(NOW), [NOW], { NOW }],
  ...['constructor', '__proto__', 'ISSUER', ISSUER, [ISSUER], 'é', '\u{1f600}', '\ud800', '\u0000'],
];
/** Spelled as JSON, because no value of JavaScript is written like this. */
const ODD_JSON: readonly string[] = [
  '1e999',
  '-1e999',
  '1E400',
  '0.1e1',
  '01',
  '+1',
  '1.',
  'NaN',
  '0x10',
  "'x'",
  '[1,]',
];

const CRITICAL: readonly Readonly<Record<string, unknown>>[] = [
  { crit: ['b64'], b64: true },
  { crit: ['b64'], b64: false },
  { crit: ['b64'] },
  { crit: ['b64'], b64: 'true' },
  { crit: ['b64', 'b64'], b64: true },
  { crit: [] },
  { crit: 'b64', b64: true },
  { crit: ['exp'], exp: 1 },
  { crit: ['alg'] },
  { crit: [''], '': 1 },
  { crit: [1] },
  { crit: null },
  { crit: ['b64', 'odd'], b64: true, odd: 1 },
  { crit: ['toString'] },
  { b64: false },
  { b64: true },
];

type Parts = Record<string, unknown>;

/** A header, most of the time that of the signer. */
export function mutateHeader(header: Parts, dice: Dice): Parts {
  const other = dice.below(8);
  if (other === 0) {
    const names = ['none', 'HS256', 'es256', 'RS1', 'ES256K', 'ML-DSA-44', '', 'EdDSA', 'Ed25519', 'Ed448'];
    return { ...header, alg: dice.one<unknown>([...names, 'RS256', 'PS256', 'ES256', 'ES384', null, 1, ['ES256']]) };
  }
  if (other === 1) return { ...header, kid: dice.one([undefined, 'no-such-key', header.kid, ...ODD_VALUES]) };
  if (other === 2) return { ...header, ...dice.one(CRITICAL) };
  if (other === 3) {
    const types = ['JWT', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/AT+jwt', 'at+jwt '];
    return { ...header, typ: dice.one<unknown>([...types, undefined, ...ODD_VALUES]) };
  }
  if (other === 4)
    return { ...header, jwk: header, jku: 'https://evil.example', x5c: ['MIIB'], x5u: 'https://evil.example' };
  if (other === 5)
    return { ...header, [dice.one(['zip', 'cty', 'enc', 'exp', '__proto__x', 'b64'])]: dice.one(ODD_VALUES) };
  if (other === 6) return { [dice.one(['alg', 'kid', 'x'])]: dice.one(ODD_VALUES), ...header };
  const { [dice.one(['alg', 'kid'])]: _, ...rest } = header;
  return rest;
}

export function goodClaims(id: number): Parts {
  return { iss: ISSUER, aud: AUDIENCE, sub: 'ada', exp: NOW + 300, iat: NOW, jti: String(id), org: 'o' };
}

export function mutateClaims(claims: Parts, dice: Dice): Parts {
  const name = dice.one(['exp', 'nbf', 'iat', 'iss', 'sub', 'org', 'exp', 'nbf', 'iat']);
  if (dice.chance(0.1)) {
    const { [name]: _, ...rest } = claims;
    return rest;
  }
  if (dice.chance(0.1)) return { ...claims, deep: JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) };
  return { ...claims, [name]: dice.one(ODD_VALUES) };
}

/** JSON text that is not what `JSON.stringify` writes. */
export function mutateJson(text: string, dice: Dice): string | Buffer {
  const inside = text.slice(1, -1);
  const name = dice.one(['alg', 'kid', 'exp', 'nbf', 'iat', 'iss', 'crit', 'sub', 'x']);
  const value = dice.chance(0.5) ? dice.one(ODD_JSON) : JSON.stringify(dice.one(ODD_VALUES));
  const spellings: readonly (() => string | Buffer)[] = [
    () => `{"${name}":${value},${inside}}`,
    () => `{${inside},"${name}":${value}}`,
    () => `{"__proto__":{"${name}":${value}},${inside}}`,
    () => `{"\\u00${(name.charCodeAt(0) || 0).toString(16)}${name.slice(1)}":${value},${inside}}`,
    () => ` \n\t${text}\r\n `,
    () => `\ufeff${text}`,
    () => `\u00a0${text}`,
    () => `${text}${text}`,
    () => `[${text}]`,
    () => JSON.stringify(text),
    () => text.slice(0, -1),
    () => `${text},`,
    () => `{/**/${inside}}`,
    () => 'null',
    () => '{}',
    () =>
      Buffer.concat([
        Buffer.from(text.slice(0, -1)),
        Buffer.from(',"x":"'),
        Buffer.from([0xff, 0xc0]),
        Buffer.from('"}'),
      ]),
    () => Buffer.concat([Buffer.from(`{"x":"`), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(`",${inside}}`)]),
    () => Buffer.from(`{"x":"é",${inside}}`, 'latin1'),
    () => `{"x":"é\u{1f600}\\ud83d\\ude00\\ud800",${inside}}`,
    () => `{"x":${'9'.repeat(400)},${inside}}`,
    () => `{"x":${'{"y":'.repeat(300)}1${'}'.repeat(300)},${inside}}`,
  ];
  return dice.one(spellings)();
}

export const encode = b64;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Another last character: the unused bits, or the last bits of the bytes. */
function changeLast(part: string, dice: Dice): string {
  return part.slice(0, -1) + dice.one([...ALPHABET]);
}

/** A part in another spelling, or another part. */
export function mutateSpelling(part: string, dice: Dice): string {
  const at = dice.below(part.length + 1);
  const character = dice.one([...ALPHABET, '=', '+', '/', ' ', '\n', '.', '%', 'é', '\u0000', '\ud800']);
  const spellings: readonly (() => string)[] = [
    () => changeLast(part, dice),
    () => changeLast(part, dice),
    () => `${part}=`,
    () => part + '='.repeat((4 - (part.length % 4)) % 4),
    () => `${part}A`,
    () => `${part}AAAA`,
    () => part.slice(0, -1),
    () => part.slice(0, at),
    () => part.slice(0, at) + character + part.slice(at),
    () => part.slice(0, at) + character + part.slice(at + 1),
    () => part.replaceAll('-', '+').replaceAll('_', '/'),
    () => part.replaceAll('_', '-'),
    () => part.toLowerCase(),
    () => ` ${part}`,
    () => `${part}\n`,
    () => '',
    () => part + part,
    () => `${part.slice(0, at)}.${part.slice(at)}`,
  ];
  return dice.one(spellings)();
}

/** Other bytes in the place of a signature. */
export function mutateSignature(signature: Buffer, dice: Dice): Buffer {
  const half = signature.length / 2;
  const flipped = Buffer.from(signature);
  const at = dice.below(signature.length);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << dice.below(8));
  return dice.one([
    flipped,
    Buffer.alloc(signature.length),
    Buffer.alloc(signature.length, 0xff),
    signature.subarray(0, at),
    signature.subarray(1),
    Buffer.concat([signature, Buffer.alloc(1)]),
    Buffer.concat([Buffer.alloc(1), signature]),
    Buffer.concat([signature.subarray(half), signature.subarray(0, half)]),
    Buffer.concat([signature.subarray(0, half), Buffer.alloc(half)]),
    Buffer.concat([Buffer.alloc(half), signature.subarray(half)]),
    Buffer.concat([signature, signature]),
  ]);
}

/** Members that make a key unusable, or do not. */
export function mutateKey(jwk: Parts, dice: Dice): Parts {
  const bytes = (name: string) => Buffer.from(String(jwk[name] ?? ''), 'base64url');
  const curves = ['P-256', 'P-384', 'P-521', 'secp256k1', 'Ed25519', 'Ed448', 'X25519', undefined];
  const number = dice.one(['n', 'e', 'x', 'y']);
  const operations = [
    ['verify'],
    ['sign'],
    ['verify', 'sign'],
    ['verify', 'odd'],
    ['verify', 'verify'],
    [],
    'verify',
    [1],
  ];
  const mutations: readonly (() => Parts)[] = [
    () => ({
      ...jwk,
      alg: dice.one<unknown>(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519', 'HS256', '', null, 1]),
    }),
    () => ({ ...jwk, use: dice.one<unknown>(['sig', 'enc', 'SIG', '', null, ['sig']]) }),
    () => ({
      ...jwk,
      key_ops: dice.one<unknown>([...operations, null, { 0: 'verify', length: 1 }, ['verify', 'verify ']]),
    }),
    () => ({ ...jwk, ext: dice.one<unknown>([true, false, 'true', null, 1]) }),
    () => ({ ...jwk, kid: dice.one<unknown>([undefined, 'other', null, 1, [jwk.kid]]) }),
    () => ({ ...jwk, kty: dice.one<unknown>(['RSA', 'EC', 'OKP', 'oct', 'AKP', 'rsa', null, undefined, ['EC']]) }),
    () => ({ ...jwk, crv: dice.one(curves) }),
    () => ({
      ...jwk,
      [dice.one(['d', 'priv', 'oth', 'p', 'k'])]: dice.one<unknown>(['', 'AQAB', null, 0, false, [], {}]),
    }),
    () => ({
      ...jwk,
      e: dice.one<unknown>(['AQ', 'Ag', 'Aw', 'AQAA', 'AAEAAQ', '', 'AQAB=', '____________', 65_537, null]),
    }),
    () => ({ ...jwk, [number]: b64(bytes(number).subarray(1)) }),
    () => ({ ...jwk, [number]: b64(Buffer.concat([Buffer.alloc(1), bytes(number)])) }),
    () => ({ ...jwk, [number]: b64(Buffer.alloc(bytes(number).length, dice.one([0, 1, 255]))) }),
    () => ({ ...jwk, [number]: bytes(number).toString('base64') }),
    () => ({ ...jwk, [number]: ` ${String(jwk[number])}\n` }),
    () => ({ ...jwk, [number]: dice.one(ODD_VALUES) }),
    () => ({ ...jwk, x: jwk.y, y: jwk.x }),
    () => ({ ...jwk, x5c: ['MIIB'], x5t: 'x', odd: { odd: [1] } }),
  ];
  return dice.one(mutations)();
}
