import { leftOut } from '@sallyport/core/internal';
import type * as part from '../openapi.js';

const refuse = (): never => {
  throw leftOut('generateOpenAPI()', 'sallyport-no-openapi');
};

export const generateDocument: typeof part.generateDocument = refuse;
export const toCanonicalJson: typeof part.toCanonicalJson = refuse;
export const describeOperations: typeof part.describeOperations = () => null;
