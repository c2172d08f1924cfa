// Preloaded into a program (`node --import`): appends the URL of each module that its main thread loads to the file
// that LOADED_MODULES names.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const file = process.env['LOADED_MODULES'];

if (isMainThread && file !== undefined)
  registerHooks({
    load(url, context, nextLoad) {
      // An import of Node's own modules reads all their exports, a require does not.
      const isRequired = url.startsWith('node:') && context.conditions?.includes('require');
      appendFileSync(file, `${url}${isRequired ? ' (required)' : ''}\n`);
      return nextLoad(url, context);
    },
  });
