import type { Context } from '@sallyport/core';
