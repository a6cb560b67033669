/** A variable of the function. @throws Error for a missing variable: better at start than at the first request */
export function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`the environment variable ${name} is not set`);
  return value;
}
