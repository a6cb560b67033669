import { createSanitizer } from '@sallyport/core/observability';

const sanitizerOf = (keepKeys: unknown) => createSanitizer({ keepKeys: (keepKeys ?? []) as string[] });

export const sanitizeValue = (value: unknown, keepKeys: unknown) => sanitizerOf(keepKeys).sanitizeValue(value);

export const scrubFreeText = (text: string, keepKeys: unknown) => sanitizerOf(keepKeys).scrubFreeText(text);
