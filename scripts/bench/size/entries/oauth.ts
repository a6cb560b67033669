import { json } from '@sallyport/http';
import { createBearerGuard, hashBearerToken, staticBearerValidator } from '@sallyport/mcp/oauth';
import { Authenticated, SecureApp } from '@sallyport/secure';

const validator = staticBearerValidator([{ tokenHash: hashBearerToken('local'), subject: 'ada' }]);
const { principalResolver, challenge } = createBearerGuard({ validator });
const app = new SecureApp({ principalResolver, challenge });
app.get('/health', () => json(200, { ok: true }), Authenticated());

export const handler = app.handleLambda;
