// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal interprets them
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A path as one word of a command that a developer copies: quoted where a shell would read more than a name. */
export function quoteForShell(path: string, platform: NodeJS.Platform = process.platform): string {
  const shown = path.replace(CONTROLS, '?');
  // A name that begins with a dash is an option.
  const named = shown.startsWith('-') ? `./${shown}` : shown;
  if (platform === 'win32') return /^[\w.\\/:-]+$/.test(named) ? named : `"${named}"`;
  return /^[\w./@+:-]+$/.test(named) ? named : `'${named.replaceAll("'", `'\\''`)}'`;
}
