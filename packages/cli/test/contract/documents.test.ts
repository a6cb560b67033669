import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeEntry } from '@sallyport/bundle';
import { toAsyncApi, toContract, toMcp, toOpenApi, toTypes } from '@sallyport/contract/service';

const entry = fileURLToPath(new URL('shop.ts', import.meta.url));

test('debug', () => {
  const described = describeEntry({ entry, conditions: ['@sallyport/source'] });
  const contract = toContract('shop', [{ function: 'src/lambda.ts', ...(described as any) }]);
  writeFileSync('/tmp/shop-contract.json', JSON.stringify({contract, openapi: toOpenApi(contract), asyncapi: toAsyncApi(contract), mcp: toMcp(contract)}, null, 1));
  writeFileSync('/tmp/shop.d.ts', toTypes(contract));
});
