package isucon12q_test

import (
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"
)

// testWritesBesideBills writes to a tenant while its bill is reckoned again and
// again: either has to wait for the other, neither may be refused.
func (s *site) testWritesBesideBills(t *testing.T) {
	o, ids := s.newTenant(t, "busy", 5)
	c := newCompetition(t, o, "first")
	done := make(chan struct{})
	var billing sync.WaitGroup
	for range 3 {
		billing.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if status, _ := o.get(t, "/api/organizer/billing"); status != 200 {
					t.Errorf("billing: %d", status)
					return
				}
			}
		})
	}
	for i := range 8 {
		if status, _ := o.upload(t, c, fmt.Sprintf("player_id,score\n%s,%d\n%s,%d", ids[0], i, ids[1], i)); status != 200 {
			t.Errorf("upload: %d", status)
		}
		o.expect(t, 200, "/api/organizer/competition/"+c+"/finish", url.Values{})
		c = newCompetition(t, o, fmt.Sprint("next ", i))
	}
	close(done)
	billing.Wait()
	var yen []float64
	for _, report := range list(o.expect(t, 200, "/api/organizer/billing", nil), "reports") {
		yen = append(yen, report["billing_yen"].(float64))
	}
	slices.Sort(yen) // competitions of the same second have no order
	same(t, "yen", []float64{0, 200, 200, 200, 200, 200, 200, 200, 200}, yen)
}
