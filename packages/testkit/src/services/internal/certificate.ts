import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A key and a certificate for it, signed alone, as PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;
/** Tags of ASN.1 (X.690 section 8). */
const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const BOOLEAN = 0x01;
/** Object identifiers, already encoded. */
const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];

/**
 * Makes a certificate that is its own authority (RFC 5280 section 4.1), valid from yesterday to tomorrow. Its key exists in this
 * process only, so that none has to be kept in a repository.
 *
 * @param names DNS names, with a wildcard or without
 */
export function createCertificate(names: readonly string[]): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, der(OID, ECDSA_WITH_SHA256));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, der(OID, COMMON_NAME), der(UTF8_STRING, Buffer.from('stand-in')))));
  const validity = der(SEQUENCE, utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS));
  const body = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, [2])),
    der(INTEGER, [1, ...randomBytes(8)]),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, ...extensions(names))),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = der(SEQUENCE, body, algorithm, der(BIT_STRING, [0], signature));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: toPem(certificate) };
}

function extensions(names: readonly string[]): readonly Buffer[] {
  const alternatives = der(SEQUENCE, ...names.map((name) => der(0x82, Buffer.from(name, 'ascii'))));
  const authority = der(SEQUENCE, der(BOOLEAN, [0xff]));
  return [
    der(SEQUENCE, der(OID, SUBJECT_ALT_NAME), der(OCTET_STRING, alternatives)),
    der(SEQUENCE, der(OID, BASIC_CONSTRAINTS), der(BOOLEAN, [0xff]), der(OCTET_STRING, authority)),
  ];
}

/** One value: its tag, its length and what is in it. */
function der(tag: number, ...contents: readonly (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(contents.map((part) => Buffer.from(part)));
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
}

function utcTime(ms: number): Buffer {
  const text = new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14);
  return der(UTC_TIME, Buffer.from(`${text}Z`));
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
