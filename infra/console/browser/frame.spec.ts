/** The frame around the screens: the key, navigation, focus and titles. */
import { expect, test } from './fixtures';

test('a key opens the console', async ({ console, page }) => {
  await console.open();
  await expect(page.getByRole('navigation', { name: 'Screens' })).toBeVisible();
});
