/** Scopes in normal form: trimmed, blanks and repeats dropped, order kept. What is no string is dropped, a text is not split. */
export function normalizeScopes(scopes: unknown): readonly string[] {
  if (!Array.isArray(scopes) || scopes.length === 0) return NO_SCOPES;
  const normal: string[] = [];
  for (const scope of scopes as readonly unknown[]) {
    const name = typeof scope === 'string' ? scope.trim() : '';
    if (name !== '' && (scopes.length > FEW || !normal.includes(name))) normal.push(name);
  }
  return scopes.length > FEW ? [...new Set(normal)] : normal;
}

/** Below this a search through the list is cheaper than a set. */
const FEW = 16;

const NO_SCOPES: readonly string[] = Object.freeze([]);
