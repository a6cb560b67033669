import { localError } from '../internal/errors.js';

/** A source of a function, as the manifest of the constructs describes it. */
export interface ManifestSource {
  /** The kind of its events, as `app.triggers()` names it; `schedule` for a rule that is a schedule. */
  readonly kind: string;
  /** The registration name of the handler; for a schedule the rule's name; for a bus its name, absent if it is known only at deployment. */
  readonly name?: string;
  /** For a rule: the selector of its handler. */
  readonly selector?: Readonly<Record<string, unknown>>;
  /** For a rule: its event pattern. */
  readonly pattern?: Readonly<Record<string, unknown>>;
  /** For a schedule: `rate(…)` or `cron(…)`. Absent if it is known only at deployment. */
  readonly expression?: string;
  /** For a schedule: the detail of its events. Absent: `{}`. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The limits of the mapping and of the queue, as the engines of `@sallyport/testkit/engines` name them, and the filters of the source. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A function, as the manifest of the constructs describes it. */
export interface ManifestFunction {
  /** Maximum milliseconds of one invocation. Absent if it is known only at deployment. */
  readonly timeoutMs?: number;
  /** Megabytes. Absent if it is known only at deployment. */
  readonly memoryMb?: number;
  /** The sources in the order in which they were attached. */
  readonly sources: readonly ManifestSource[];
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads one function from the manifest that `ServiceWiring` of `@sallyport/constructs` writes (`cdk.out/sallyport.json`). Unknown
 * members and kinds are ignored, so that manifests of newer stacks can be read.
 *
 * @param json the contents of the file
 * @param entry the entry file of the function, relative to the project; ignored if the manifest has a single function
 * @returns the function, or `undefined` if no function has this entry
 * @throws FrameworkError `local.usage` for a string that is not a manifest, and for a version other than 1
 * @example
 * const deployed = parseManifest(readFileSync('cdk.out/sallyport.json', 'utf8'), 'src/lambda.ts');
 */
export function parseManifest(json: string, entry: string): ManifestFunction | undefined {
  const manifest = objectAt(parseJson(json), 'the contents');
  if (manifest.version !== 1) {
    throw invalid(`version, got ${show(manifest.version)}, expected 1: update @sallyport/local, or synthesize again`);
  }
  const functions = listAt(manifest.functions, 'functions').map((value, index) => {
    const at = `functions[${index}]`;
    const one = objectAt(value, at);
    if (one.entry !== undefined) textAt(one.entry, `${at}.entry`);
    return { entry: one.entry, read: functionAt(one, at) };
  });
  const own = functions.find((one) => one.entry === entry) ?? (functions.length === 1 ? functions[0] : undefined);
  return own?.read;
}

function functionAt({ timeoutMs, memoryMb, sources }: Members, at: string): ManifestFunction {
  return {
    ...(timeoutMs !== undefined && { timeoutMs: integerAt(timeoutMs, `${at}.timeoutMs`, 1000) }),
    ...(memoryMb !== undefined && { memoryMb: integerAt(memoryMb, `${at}.memoryMb`, 128) }),
    sources: listAt(sources, `${at}.sources`).map((source, place) => sourceAt(source, `${at}.sources[${place}]`)),
  };
}

function sourceAt(value: unknown, at: string): ManifestSource {
  const { kind, name, selector, pattern, expression, input, settings } = objectAt(value, at);
  return {
    kind: textAt(kind, `${at}.kind`),
    ...((name !== undefined || kind !== 'event-bus') && { name: textAt(name, `${at}.name`) }),
    ...(selector !== undefined && { selector: objectAt(selector, `${at}.selector`) }),
    ...(pattern !== undefined && { pattern: objectAt(pattern, `${at}.pattern`) }),
    ...(expression !== undefined && { expression: textAt(expression, `${at}.expression`) }),
    ...(input !== undefined && { input: objectAt(input, `${at}.input`) }),
    settings: objectAt(settings, `${at}.settings`),
  };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw invalid('the contents, got invalid JSON, expected the file that synth writes', cause);
  }
}

function objectAt(value: unknown, at: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(at, value, 'an object');
  return value as Members;
}

function listAt(value: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(at, value, 'a list');
  return value;
}

function textAt(value: unknown, at: string): string {
  if (typeof value !== 'string' || value === '') throw wrong(at, value, 'a string');
  return value;
}

function integerAt(value: unknown, at: string, least: number): number {
  if (!Number.isSafeInteger(value) || (value as number) < least) {
    throw wrong(at, value, `a whole number, at least ${least}`);
  }
  return value as number;
}

function wrong(at: string, value: unknown, expected: string): Error {
  return invalid(`${at}, got ${show(value)}, expected ${expected}`);
}

/** A value in the form of an error message: without contents, because they may be values of variables. */
function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? 'a text' : String(value);
}

function invalid(problem: string, cause?: unknown): Error {
  return localError('local.usage', `framework: manifest: ${problem}`, { cause });
}
