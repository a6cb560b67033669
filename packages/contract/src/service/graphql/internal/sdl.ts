/** The type of a field or an argument: `[Note!]!`. */
export interface SdlType {
  /** The named type; absent for a list. */
  readonly name?: string;
  /** The type of the elements of a list. */
  readonly of?: SdlType;
  readonly isRequired: boolean;
}

/** A field of a type, or an argument. */
export interface SdlField {
  readonly type: SdlType;
  readonly hasDefault: boolean;
  readonly args: ReadonlyMap<string, SdlField>;
}

/** The types of a schema file by name. */
export interface SdlSchema {
  readonly objects: ReadonlyMap<string, ReadonlyMap<string, SdlField>>;
  readonly enums: ReadonlyMap<string, readonly string[]>;
}

/** The tokens of the schema definition language; descriptions and comments are left out. https://spec.graphql.org/October2021/#sec-Language */
const TOKENS = /"""(?:\\"""|[^"]|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|[A-Za-z_]\w*|-?\d[\w.+-]*|[!$&()[\]{}:=@|]/g;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Reads types, fields, arguments and enumerations; directives and everything else are skipped. The file is not validated. */
export function parseSdl(text: string): SdlSchema {
  return new Reader((text.match(TOKENS) ?? []).filter((token) => !/^["#]/.test(token))).schema();
}

class Reader {
  readonly #tokens: readonly string[];
  readonly #objects = new Map<string, Map<string, SdlField>>();
  readonly #enums = new Map<string, string[]>();
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  schema(): SdlSchema {
    while (this.#at < this.#tokens.length) this.#definition(this.#next());
    return { objects: this.#objects, enums: this.#enums };
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? '';
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  #definition(keyword: string): void {
    if (CLOSING[keyword]) this.#skip(keyword);
    if (!/^(?:type|interface|input|enum)$/.test(keyword)) return;
    const name = this.#next();
    while (this.#at < this.#tokens.length && !this.#takes('{')) {
      const token = this.#tokens[this.#at] ?? '';
      // A type without fields ends at the next definition.
      if (/^(?:type|interface|input|enum|union|scalar|schema|extend|directive)$/.test(token)) return;
      if (CLOSING[this.#next()]) this.#skip(token);
    }
    if (keyword === 'enum') this.#enums.set(name, [...(this.#enums.get(name) ?? []), ...this.#values()]);
    else this.#objects.set(name, new Map([...(this.#objects.get(name) ?? []), ...this.#fields('}')]));
  }

  /** Skips to the counterpart of an opened bracket. */
  #skip(open: string): void {
    const close = CLOSING[open];
    while (this.#at < this.#tokens.length) {
      const token = this.#next();
      if (token === close) return;
      if (CLOSING[token]) this.#skip(token);
    }
  }

  #directives(): void {
    while (this.#takes('@')) {
      this.#next();
      if (this.#takes('(')) this.#skip('(');
    }
  }

  #values(): string[] {
    const values: string[] = [];
    while (this.#at < this.#tokens.length && !this.#takes('}')) {
      values.push(this.#next());
      this.#directives();
    }
    return values;
  }

  #fields(close: string): Map<string, SdlField> {
    const fields = new Map<string, SdlField>();
    while (this.#at < this.#tokens.length && !this.#takes(close)) {
      const name = this.#next();
      const args = this.#takes('(') ? this.#fields(')') : new Map<string, SdlField>();
      this.#takes(':');
      const type = this.#type();
      const hasDefault = this.#takes('=');
      if (hasDefault) {
        const value = this.#next();
        if (CLOSING[value]) this.#skip(value);
      }
      this.#directives();
      fields.set(name, { type, hasDefault, args });
    }
    return fields;
  }

  #type(): SdlType {
    if (this.#takes('[')) {
      const of = this.#type();
      this.#takes(']');
      return { of, isRequired: this.#takes('!') };
    }
    const name = this.#next();
    return { name, isRequired: this.#takes('!') };
  }
}
