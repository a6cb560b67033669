import fw from '@acme/lambda-kit';
import * as kit from '@acme/lambda-kit';
export const names = [fw, ...Object.keys(kit)];