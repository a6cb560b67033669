/** Scopes in normal form: trimmed, blanks and repeats dropped, order kept. What is no string is dropped, a text is not split. */
export function normalizeScopes(scopes: unknown): readonly string[] {
  if (!Array.isArray(scopes) || scopes.length === 0) return NO_SCOPES;
  const normal: string[] = [];
  for (const scope of scopes as readonly unknown[]) {
    const name = typeof scope === 'string' ? scope.trim() : '';
    if (name !== '' && !normal.includes(name)) normal.push(name);
  }
  return normal;
}

const NO_SCOPES: readonly string[] = Object.freeze([]);
