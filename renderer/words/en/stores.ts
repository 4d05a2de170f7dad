import { plural } from '../../../shared/numbers.ts'
import type { Capability, StoreColour } from '../../../shared/stores.ts'
import { duration, numbers } from './say.ts'

/** The stores and what is in them that is no lock. */
export const stores = {
  stores: {
    titles: { add: 'Add a store', edit: 'Edit store', duplicate: 'Duplicate store' },
    submit: { add: 'Add', edit: 'Save', duplicate: 'Add' },
    removeTitle: 'Remove store',
    removeText: (name: string) =>
      `${name} is removed from this list, with its password. Its locks are not touched.`,
    remove: 'Remove',
    notOpened: (name: string) => `${name} was not opened.`,
    notClosed: (name: string) => `${name} was not closed.`,
    address: 'Address',
    addressHint: 'Paste an address, or fill in the fields below',
    name: 'Name',
    kind: 'Provider',
    passwordKept: (lasting: string) => `Known; leave empty to keep it. ${lasting}`,
    passwordElsewhere:
      'The known password is for another server, user or way to connect, and is not used here.',
    passwordDurable: 'Kept in this computer’s keyring.',
    passwordSession: (reason: string) => `${reason}.`,
    forget: 'Forget the password',
    format: 'Format',
    anyFormat: 'Detect automatically',
    colour: 'Colour',
    colours: {
      slate: 'Slate',
      teal: 'Teal',
      blue: 'Blue',
      violet: 'Violet',
      rose: 'Rose',
      amber: 'Amber',
      green: 'Green',
    } satisfies Record<StoreColour, string>,
    production: 'Production',
    productionHint: 'Releases require the store name and a reason',
    readOnly: 'Read-only',
    readOnlyHint: 'Nothing can be released here',
    rulesFrom: (names: readonly string[]) => `Same server as ${names.join(', ')}: its rules apply.`,
    testRules: (names: readonly string[]) => `Same server as ${names.join(', ')}: its rules will apply.`,
    test: 'Test',
    testing: 'Testing…',
    saving: 'Saving…',
    fromEnvironment: 'Found in the environment',
    testServer: (server: string, latencyMs: number) => `${server} answers in ${latencyMs} ms.`,
    testClock: (offsetMs: number, errorMs: number) =>
      Math.abs(offsetMs) <= errorMs + 50
        ? 'Its clock agrees with this computer’s.'
        : `Its clock is ${duration(Math.abs(offsetMs))} ${offsetMs > 0 ? 'ahead of' : 'behind'} this computer’s.`,
    testNoClock: 'Its clock may not be read.',
    testFormats: (parts: readonly string[], complete: boolean) =>
      `Locks found${complete ? '' : ' so far'}: ${parts.join(', ')}.`,
    testFormat: (title: string, n: number) => `${numbers.format(n)} ${title}`,
    testNone: (scanned: number) => `No lock among ${plural(scanned, 'record', 'records')}.`,
    testUnrecognised: (n: number) => `${plural(n, 'record is', 'records are')} not understood.`,
    testMay: (what: readonly string[]) => `This account may ${what.join(', ')}.`,
    testMayNot: (what: readonly string[]) => `It may not ${what.join(', ')}.`,
    capabilities: {
      release: 'release locks',
      notify: 'wake waiting processes',
      'atomic-read': 'read a record and its expiry at once',
      'server-time': 'ask for the server’s time',
    } satisfies Record<Capability, string>,
    testFailed: 'Connection failed.',
  },

  unrecognised: {
    title: 'Records not understood',
    text: 'They are in the store, but no lock format knows them. They are shown and never released.',
    some: (shown: number, all: number) => `The first ${numbers.format(shown)} of ${numbers.format(all)}.`,
  },
}
