export function Banners() {
  return <div className="side" />;
}
