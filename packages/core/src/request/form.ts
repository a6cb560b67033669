import { FrameworkError } from '../errors/errors.js';
import { defineOptions, integer } from '../options/define-options.js';
import { asBuffer, mediaType, unsupportedMediaType } from './encoding.js';
import { append, createMap, type MultiMap } from './request.js';

/** Bounds of `ctx.bodyForm`. A form that exceeds a bound is answered with 413 `app.too_large`. */
export interface FormLimits {
  /** Bytes of the whole body, decoded. Default: 6,291,456, the maximum size of a Lambda request. */
  readonly maxBytes?: number;
  /** Values that are not files. Default: 1,000. */
  readonly maxFields?: number;
  /** Bytes of one value that is not a file. Default: 1,048,576. */
  readonly maxFieldBytes?: number;
  /** Files. Default: 20. */
  readonly maxFiles?: number;
  /** Bytes of one file. Default: 6,291,456. */
  readonly maxFileBytes?: number;
}

/** Validators and defaults for {@link FormLimits}. */
export const FORM_LIMITS = /* @__PURE__ */ defineOptions<FormLimits>()({
  maxBytes: /* @__PURE__ */ integer(1).default(6_291_456),
  maxFields: /* @__PURE__ */ integer(0).default(1000),
  maxFieldBytes: /* @__PURE__ */ integer(1).default(1_048_576),
  maxFiles: /* @__PURE__ */ integer(0).default(20),
  maxFileBytes: /* @__PURE__ */ integer(1).default(6_291_456),
});

/** A file of a form. Name and type are from the client: do not use the name as a path, and do not rely on the type. */
export interface FormFile {
  /** The file's name on the client's machine. */
  readonly name: string;
  /** The media type that the client sent; `text/plain` if absent. */
  readonly type: string;
  /** The content. */
  readonly bytes: Uint8Array;
}

/** The body of a submitted form. */
export interface Form {
  /** Values by name, in the order of the body; a map without a prototype. */
  readonly fields: Readonly<MultiMap>;
  /** Files by the name of their field; a map without a prototype. An empty file input has no entry. */
  readonly files: Readonly<Record<string, readonly FormFile[]>>;
  /** The first value of a field; `undefined` when it is missing, `''` when it is empty. */
  field(name: string): string | undefined;
  /** The first file of a field; `undefined` if absent. */
  file(name: string): FormFile | undefined;
}

const URL_ENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
/** Characters that the name of a field or of a file may have. */
const MAX_NAME_LENGTH = 1024;

/**
 * Reads a form with the platform's own parser (Fetch standard, `Response.formData()`), which is loaded at the first call.
 *
 * @param contentType the header, `''` for none
 * @throws FrameworkError `app.unsupported_media_type` for another media type, `app.bad_request` `invalid form` for a body that is
 *   not of its media type, `app.too_large` if it exceeds a limit
 */
export async function parseForm(contentType: string, body: Uint8Array, options?: FormLimits): Promise<Form> {
  const limits = FORM_LIMITS.parse(options);
  if (body.length === 0) return toForm(createMap(), createMap());
  const type = mediaType(contentType);
  if (type !== URL_ENCODED && type !== MULTIPART)
    throw unsupportedMediaType(contentType, `${MULTIPART}, ${URL_ENCODED}`);
  if (body.length > limits.maxBytes) throw tooLarge('max_bytes', limits.maxBytes);
  // Counted before the parser creates objects for them; no part follows the last delimiter of a multipart body.
  const most = limits.maxFields + limits.maxFiles;
  const isOver =
    type === MULTIPART
      ? isMoreOften(`\r\n--${boundaryOf(contentType)}`, body, most)
      : isMoreOften('&', body, limits.maxFields - 1);
  if (isOver) throw tooLarge('max_fields', limits.maxFields);
  return collect(await readEntries(contentType, body), limits);
}

/** The used members of the platform's `File`; declared here, so that no type library is needed. */
interface PlatformFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

type Entries = Iterable<[string, string | PlatformFile]>;

/** Any error of the parser means an invalid body; its message is only logged. */
async function readEntries(contentType: string, body: Uint8Array): Promise<Entries> {
  try {
    return (await new Response(body, { headers: { 'content-type': contentType } }).formData()) as unknown as Entries;
  } catch (cause) {
    throw new FrameworkError('app.bad_request', 'invalid form', { cause });
  }
}

async function collect(entries: Entries, limits: Required<FormLimits>): Promise<Form> {
  const fields: MultiMap = createMap();
  const files = createMap<FormFile[]>();
  let fieldCount = 0;
  let fileCount = 0;
  for (const [name, value] of entries) {
    assertName(name);
    if (typeof value === 'string') {
      fieldCount += 1;
      if (fieldCount > limits.maxFields) throw tooLarge('max_fields', limits.maxFields);
      if (Buffer.byteLength(value) > limits.maxFieldBytes) throw tooLarge('max_field_bytes', limits.maxFieldBytes);
      append(fields, name, value);
    } else if (value.size > 0 || value.name !== '') {
      fileCount += 1;
      if (fileCount > limits.maxFiles) throw tooLarge('max_files', limits.maxFiles);
      if (value.size > limits.maxFileBytes) throw tooLarge('max_file_bytes', limits.maxFileBytes);
      assertName(value.name);
      files[name] ??= [];
      files[name].push({ name: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) });
    }
  }
  return toForm(fields, files);
}

function toForm(fields: MultiMap, files: Record<string, FormFile[]>): Form {
  return { fields, files, field: (name) => fields[name]?.[0], file: (name) => files[name]?.[0] };
}

function assertName(name: string): void {
  if (name.length > MAX_NAME_LENGTH) throw tooLarge('max_name_length', MAX_NAME_LENGTH);
}

/** True if the bytes contain a string more than `most` times. */
function isMoreOften(text: string, bytes: Uint8Array, most: number): boolean {
  const buffer = asBuffer(bytes);
  let count = 0;
  for (let at = buffer.indexOf(text); at >= 0; at = buffer.indexOf(text, at + text.length)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}

/** RFC 2046 section 5.1.1; quotes around it belong to the header (RFC 9110 section 5.6.6). */
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i;

function boundaryOf(contentType: string): string {
  const [, quoted, token] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? token;
  if (boundary === undefined)
    throw new FrameworkError('app.bad_request', 'invalid form: content-type has no valid boundary');
  return boundary;
}

function tooLarge(limit: string, max: number): FrameworkError {
  return new FrameworkError('app.too_large', 'form too large', { details: { limit, max } });
}
