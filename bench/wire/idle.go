package wire

// Idle returns how many connections lie idle and are still open at both ends,
// and lets go of those that the server has closed.
func (c *Client) Idle() int {
	c.mu.Lock()
	var dead []*conn
	living := 0
	for h := range c.hosts {
		alive := h.idle[:0]
		for _, cn := range h.idle {
			if cn.look() == idleAlive {
				alive = append(alive, cn)
			} else {
				dead = append(dead, cn)
			}
		}
		clear(h.idle[len(alive):])
		h.idle = alive
		living += len(alive)
	}
	c.mu.Unlock()
	for _, cn := range dead {
		c.discard(cn, false)
	}
	return living
}
