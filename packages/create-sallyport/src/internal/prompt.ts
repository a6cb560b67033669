import { createInterface } from 'node:readline/promises';

type Ask = (question: string) => Promise<string>;

/** A function that prompts the user; `undefined` if input or output is not a terminal. */
export function createPrompt(
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean },
  output: NodeJS.WritableStream & { readonly isTTY?: boolean },
): Ask | undefined {
  if (!input.isTTY || !output.isTTY) return undefined;
  return async (question) => {
    const terminal = createInterface({ input, output });
    try {
      return await terminal.question(question);
    } finally {
      terminal.close();
    }
  };
}
