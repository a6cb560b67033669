import { toJsonText } from './internal/json-text.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '\\u0026',
  '<': '\\u003c',
  '>': '\\u003e',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * JSON that can stand inside a `<script>` element: no character of it ends the element, opens a comment or breaks a line
 * of script. It still parses to the same value.
 *
 * @throws FrameworkError `app.internal` for a value that JSON cannot express
 */
export function safeJsonForHtml(value: unknown): string {
  return toJsonText(value).replace(/[&<>\u2028\u2029]/g, (character) => ESCAPES[character] ?? character);
}
