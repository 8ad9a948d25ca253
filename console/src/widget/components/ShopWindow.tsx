/** A lit shop window at dusk: what stands where no conversation is yet. */
export function ShopWindow() {
  return (
    <svg className="shop-window" viewBox="0 0 120 84" width="120" height="84" aria-hidden="true">
      <path className="shop-wall" d="M14 30h92v52H14z" />
      <path className="shop-glow" d="M24 40h44v32H24zM78 40h18v42H78z" />
      <path
        className="shop-line"
        d="M46 40v6M39 54h14l-4-8h-6zM30 72v-7h9v7M58 62a5 5 0 1 1 0 10 5 5 0 0 1 0-10M92 62v.1M8 82h104"
      />
      <path
        className="shop-awning"
        d="M18 8h84l10 22a10 10 0 0 1-17.3 4A10.6 10.6 0 0 1 77.3 34a10.6 10.6 0 0 1-17.3 0 10.6 10.6 0 0 1-17.3 0 10.6 10.6 0 0 1-17.4 0A10 10 0 0 1 8 30z"
      />
    </svg>
  );
}
