import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { profile } from '#messages/profile.ts';
import { signIn } from '#messages/sign-in.ts';
import { emailMistake } from '../src/pages/sign-in/email-mistake.ts';
import { readFragmentToken } from '../src/pages/sign-in/use-fragment-token.ts';
import { deviceName } from '../src/pages/profile/device-name.ts';
import { pickAccount } from '../src/session/chosen-account.ts';

describe('the token of a link', () => {
  const token = '7EdM3tbE_0G5-akXxnOnQAeVaTMeWHHF5TOGJWPLovQ';

  for (const fragment of [
    '',
    '#',
    '#token=',
    '#token=short',
    `#other=${token}`,
    `#token=${token}%00`,
    '#token=<b>',
  ])
    it(`is not there in ${JSON.stringify(fragment)}`, () => {
      assert.equal(readFragmentToken(fragment), undefined);
    });

  it('is what stands after token=', () => {
    assert.equal(readFragmentToken(`#token=${token}`), token);
    assert.equal(readFragmentToken(`#x=1&token=${token}`), token);
  });
});

describe('addresses that are typed', () => {
  for (const text of ['ada', 'ada@', '@example.com', 'a da@example.com', 'ada@exa mple.com', 'a@b@c'])
    it(`refuses ${text}`, () => {
      assert.equal(emailMistake(text, signIn), signIn.emailInvalid);
    });

  it('takes all others, and those of a company without a dot', () => {
    assert.equal(emailMistake(' ada@example.com ', signIn), undefined);
    assert.equal(emailMistake('ada@intranet', signIn), undefined);
    assert.equal(emailMistake('  ', signIn), signIn.required);
  });
});

describe('names of devices', () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['curl/8.5.0', 'curl'],
    ['<script>alert(1)</script>', 'Unknown device'],
    [undefined, 'Unknown device'],
  ];
  for (const [userAgent, name] of cases)
    it(`says ${name}`, () => {
      assert.equal(deviceName(userAgent, profile), name);
    });
});

describe('the account that a page opens with', () => {
  const account = (accountId: string) =>
    ({
      accountId,
      name: 'A',
      role: 'owner',
      isOperator: false,
      permissions: [],
      isSecondFactorRequired: false,
      isSecondPersonRequired: false,
      hasDemoData: false,
      status: 'active',
    }) as const;

  it('is the chosen one only while the person has it', () => {
    const accounts = [account('account_1'), account('account_2')];
    assert.equal(pickAccount(accounts, 'account_2')?.accountId, 'account_2');
    assert.equal(pickAccount(accounts, 'account_3')?.accountId, 'account_1');
    assert.equal(pickAccount(accounts, undefined)?.accountId, 'account_1');
    assert.equal(pickAccount([], 'account_2'), undefined);
  });
});
