/** Who a model's name belongs to, as far as a name can say it; undefined for a name that could be anybody's. */
export function providerOf(model: string): 'anthropic' | 'openai' | undefined {
  const name = model.toLowerCase();
  if (name.startsWith('claude')) return 'anthropic';
  return name.startsWith('gpt-') || /^o\d/.test(name) ? 'openai' : undefined;
}
